"""The forms for sending commands to a crawl."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.dashboard.status import CrawlStatus
from honeyguide.dashboard.views.marks import MARKS
from honeyguide.document.markup import Html, element, html, void_element
from honeyguide.document.page import section, shortened

_LIMITS = (("pages", "pages"), ("relevant", "relevant pages"), ("minutes", "minutes"))


class ControlForms:
    """Forms with the token that shows that a request comes from a page of the dashboard."""

    def __init__(self, form_token: str, back: str) -> None:
        """`back` is the path of the page that shows the forms, to which they return."""
        self._token, self._back = form_token, back

    def overview(self, status: CrawlStatus) -> Html:
        """What the first view offers."""
        buttons = []
        if status.is_running:
            buttons.append(self._form("resume", "Resume") if status.is_paused else self._form("pause", "Pause"))
            buttons.append(self._form("stop", "Stop"))
        options = [element("option", text, value=name) for name, text in _LIMITS]
        amount = void_element("input", type="number", name="amount", min="1", required="", aria_label="How many more")
        limit = element("select", *options, name="limit", aria_label="Of what")
        buttons.append(self._form("budget", "Add to the budget", amount, limit))
        return element("div", *buttons, class_="controls")

    def seeds(self) -> Html:
        """The form that adds a seed."""
        field = void_element(
            "input",
            type="url",
            name="argument",
            required="",
            aria_label="URL of a page, a sitemap or a feed",
            placeholder="https://",
        )
        return section("Add a seed", element("div", self._form("seed", "Add", field), class_="controls"))

    def host(self, name: str, blocked: Sequence[str]) -> Html:
        """The button that blocks a host, or takes that back."""
        hidden = void_element("input", type="hidden", name="argument", value=name)
        is_blocked = name in blocked
        text = f"{'Unblock' if is_blocked else 'Block'} {shortened(name, 60)}"
        return element("div", self._form("unblock" if is_blocked else "block", text, hidden), class_="controls")

    def marks(self) -> Html:
        """The form that the buttons of all pages of a view belong to, with what came of the last one."""
        form = self._form("label", "", void_element("input", type="hidden", name="command", value="label"), id=MARKS)
        return html(form, element("p", id="said", class_="said", role="status"))

    def blocked(self, blocked: Sequence[str]) -> Html:
        """What is blocked, each with a button that takes it back, and a form that blocks something else."""
        field = void_element(
            "input",
            type="text",
            name="argument",
            required="",
            aria_label="Host, or host and path",
            placeholder="example.org",
        )
        listed = [
            element(
                "li",
                self._form(
                    "unblock",
                    "Unblock",
                    element("span", shortened(entry, 100)),
                    void_element("input", type="hidden", name="argument", value=entry),
                ),
            )
            for entry in blocked
        ]
        return section(
            "Blocked",
            element("ul", *listed, class_="plain controls")
            if listed
            else element("p", "Nothing is blocked.", class_="quiet"),
            element("div", self._form("block", "Block", field), class_="controls"),
        )

    def _form(self, command: str, text: str = "", *fields: Html, **attributes: str) -> Html:
        """A form with a button that sends it; without a text, the buttons are elsewhere."""
        button = element("button", text, name="command", value=command, type="submit") if text else Html()
        return element(
            "form",
            void_element("input", type="hidden", name="form_token", value=self._token),
            void_element("input", type="hidden", name="back", value=self._back),
            *fields,
            button,
            action="/control",
            method="post",
            **attributes,
        )
