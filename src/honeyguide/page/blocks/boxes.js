// What a browser shows of a page, for VIPS: evaluate this in a page that is rendered. The result is to be saved as JSON;
// docs/blocks.md says how, and what each field means.
(() => {
  const nodes = [];
  const round = (number) => Math.round(number * 10) / 10;
  const box = (rect) => [rect.left + scrollX, rect.top + scrollY, rect.width, rect.height].map(round);
  const range = document.createRange();
  const add = (node, depth) => {
    if (node.nodeType === Node.TEXT_NODE) {
      range.selectNodeContents(node);
      nodes.push({ tag: "#text", depth, box: box(range.getBoundingClientRect()) });
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      const style = getComputedStyle(node);
      const picture = style.backgroundImage;
      nodes.push({
        tag: node.localName,
        id: node.id || "",
        depth,
        box: box(node.getBoundingClientRect()),
        display: style.display,
        float: style.cssFloat,
        visibility: style.visibility,
        font_size: parseFloat(style.fontSize),
        font_weight: Number(style.fontWeight),
        background: picture === "none" ? style.backgroundColor : picture,
      });
    } else {
      return false;
    }
    return true;
  };
  // Without recursion: pages can be deeper than the stack.
  let node = document.body;
  let depth = 0;
  while (node) {
    if (add(node, depth) && node.firstChild) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node !== document.body && !node.nextSibling) {
      node = node.parentNode;
      depth -= 1;
    }
    node = node === document.body ? null : node.nextSibling;
  }
  return { url: location.href, nodes };
})()
