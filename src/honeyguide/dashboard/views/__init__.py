"""The pages of the dashboard as HTML. All text of crawled pages is escaped by `honeyguide.document.markup`."""
