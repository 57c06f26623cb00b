// What is wrong with how a page looks: contrast of its text, of pictures, too, and its width.
(function () {
  "use strict";
  const faults = [];
  const channels = (color) => color.match(/[\d.]+/g).map(Number);

  function luminance(color) {
    const [r, g, b] = color.slice(0, 3).map((v) => {
      const c = v / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function background(e) {
    for (; e; e = e.parentElement) {
      const color = channels(getComputedStyle(e).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  }

  // Text of a picture may stand on a shape that was drawn before it.
  function ground(e) {
    const box = e.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    const before = (s) => s.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING;
    const shapes = [...e.closest("svg").querySelectorAll("rect")].filter((s) => {
      const b = s.getBoundingClientRect(), fill = getComputedStyle(s).fill;
      return before(s) && !s.closest("clipPath, pattern") && /^rgb\(/.test(fill) && getComputedStyle(s).opacity === "1" &&
        b.left <= x && x <= b.right && b.top <= y && y <= b.bottom;
    });
    return shapes.length ? channels(getComputedStyle(shapes.at(-1)).fill) : background(e.closest("svg").parentElement);
  }

  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const style = getComputedStyle(e);
    if (!own || !e.getClientRects().length || style.visibility === "hidden" || e.closest("script, style, title, defs")) continue;
    const picture = e.closest("svg");
    const a = luminance(channels(picture ? style.fill : style.color)), b = luminance(picture ? ground(e) : background(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faults.push("contrast " + ratio.toFixed(2) + " of " + e.textContent.trim().slice(0, 40));
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} pixels wide, its window ${root.clientWidth}`);
  return faults;
})()
