// What a reader does with a page, and what is wrong with it then: the pointer at both ends and in the middle of every
// panel, and arrow keys. Its value is a promise of the faults.
(function () {
  "use strict";
  const faults = [];
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
      over.blur();
    }
    scrollTo(0, 0);
    return faults;
  }
  return visit();
})()
