// The document as it is now, at most `most` characters of it; without what is meant for browsers that run no scripts.
(most) => {
  for (const element of document.querySelectorAll("noscript")) {
    element.remove();
  }
  const root = document.documentElement;
  return root ? "<!DOCTYPE html>" + root.outerHTML.slice(0, most) : "";
};
