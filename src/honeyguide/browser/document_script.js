// The document as it is now, at most `most` characters of it; without what is meant for browsers that run no scripts.
// What readers see is put where they see it: the contents of open shadow roots, and of frames of the same origin.
(most) => {
  const DEEPEST = 10;
  const SMALLEST = 20; // pixels of a frame that shows something
  let left = 2000; // roots and frames

  const replace = (element, nodes) => {
    const box = document.createElement("div");
    for (const name of ["id", "class", "hidden", "style"]) {
      if (element.hasAttribute(name)) {
        box.setAttribute(name, element.getAttribute(name));
      }
    }
    box.append(...nodes);
    element.replaceWith(box);
  };

  const openShadow = (host, depth) => {
    const shadow = host.shadowRoot;
    open(shadow, depth + 1);
    const filled = [...shadow.querySelectorAll("slot")].map((slot) => [slot, slot.assignedNodes({ flatten: true })]);
    for (const [slot, nodes] of filled) {
      slot.replaceWith(...(nodes.length ? nodes : slot.childNodes));
    }
    for (const style of shadow.querySelectorAll("style, link")) {
      style.remove();
    }
    replace(host, shadow.childNodes);
  };

  const openFrame = (frame, depth) => {
    const inside = frame.contentDocument; // null if it is of another origin
    if (!inside || !inside.body || frame.offsetWidth < SMALLEST || frame.offsetHeight < SMALLEST) {
      return;
    }
    open(inside, depth + 1);
    for (const link of inside.querySelectorAll("a[href], area[href]")) {
      link.setAttribute("href", link.href); // its address is another
    }
    for (const script of inside.querySelectorAll("script, style")) {
      script.remove();
    }
    replace(frame, inside.body.childNodes);
  };

  const open = (root, depth) => {
    if (depth > DEEPEST) {
      return;
    }
    // From the end: what is inside another comes first.
    for (const element of [...root.querySelectorAll("*")].reverse()) {
      const how = element.shadowRoot ? openShadow : element.localName === "iframe" ? openFrame : null;
      if (how && left-- > 0) {
        try {
          how(element, depth);
        } catch {
          // It stays as it is.
        }
      }
    }
  };

  open(document, 0);
  for (const element of document.querySelectorAll("noscript")) {
    element.remove();
  }
  const root = document.documentElement;
  return root ? "<!DOCTYPE html>" + root.outerHTML.slice(0, most) : "";
};
