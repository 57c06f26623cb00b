// What a reader does with a page, and what is wrong with it then: the pointer at both ends and in the middle of every
// panel, arrow keys, the contrast of all text. Faults become the attribute data-faults of the document.
(function () {
  "use strict";
  const faults = [];
  const visible = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";

  function luminance(color) {
    const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((v) => {
      const c = Number(v) / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function background(e) {
    for (; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (!/, 0\)$|transparent/.test(color)) return color;
    }
    return "rgb(255, 255, 255)";
  }

  function contrasts() {
    for (const e of document.querySelectorAll("body *")) {
      const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      if (!own || !visible(e) || e.closest("svg, script, style")) continue;
      const a = luminance(getComputedStyle(e).color), b = luminance(background(e));
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) faults.push("contrast " + ratio.toFixed(2) + " of " + e.textContent.trim().slice(0, 40));
    }
  }

  const wait = () => new Promise((done) => setTimeout(done, 30));

  async function point(over, share) {
    const r = over.getBoundingClientRect();
    const at = { clientX: r.left + share * (r.width - 1), clientY: r.top + r.height / 2, bubbles: true, buttons: 0 };
    over.dispatchEvent(new MouseEvent("mouseenter", at));
    over.dispatchEvent(new MouseEvent("mousemove", at));
    await wait();
  }

  function checkTip(over, what, needed) {
    const tip = over.querySelector(".tip");
    if (tip.hidden) {
      if (needed) faults.push("no values " + what);
      return;
    }
    const box = tip.getBoundingClientRect(), panel = over.getBoundingClientRect();
    if (box.left < -0.5 || box.right > document.documentElement.clientWidth + 0.5) faults.push("values leave the window " + what);
    if (box.right > panel.right + 0.5 || box.left < panel.left - 0.5) faults.push("values cover a neighbour " + what);
  }

  async function visit() {
    if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
    if (performance.getEntriesByType("resource").length > 0) faults.push("the page asked for more");
    contrasts();
    for (const [i, over] of document.querySelectorAll(".u-over").entries()) {
      over.scrollIntoView();
      for (const share of [0, 0.5, 1]) {
        await point(over, share);
        checkTip(over, "at " + share + " of panel " + (i + 1), share === 0.5);
      }
      over.dispatchEvent(new MouseEvent("mouseleave"));
      over.focus();
      over.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      await wait();
      checkTip(over, "by key in panel " + (i + 1), true);
      contrasts();
      over.blur();
    }
    document.documentElement.setAttribute("data-faults", JSON.stringify(faults));
  }
  visit().catch((e) => document.documentElement.setAttribute("data-faults", JSON.stringify([String(e)])));
})();
