"use strict";
// Marks tell what they stand for: on hover, on touch and on focus. Each group of marks is one stop
// of the tab key; arrow keys lead from one mark to the next.
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("aria-hidden", "true"); // marks have the same words as their label
  tip.hidden = true;
  document.body.append(tip);

  const show = (mark, x, y) => {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const right = document.documentElement.clientWidth - box.width - 8;
    const below = y + 18 + box.height < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(x + 12, right))}px`;
    tip.style.top = `${below ? y + 18 : Math.max(8, y - box.height - 12)}px`;
  };
  const hide = () => { tip.hidden = true; };

  const told = (mark) => {
    const title = mark.querySelector("title");
    if (title) {
      title.remove(); // or the browser would show it as well
      return title.textContent;
    }
    const row = mark.parentElement.cells[0].textContent;
    const value = mark.textContent === "·" ? "0" : mark.textContent;
    return `\u2068${row}\u2069, component ${mark.cellIndex}: ${value}`;
  };

  for (const group of document.querySelectorAll("[data-marks]")) {
    const marks = [...group.querySelectorAll(".mark")];
    const columns = Number(group.dataset.columns || 1);
    const places = new Map(marks.map((mark, k) => [mark, k]));
    marks.forEach((mark, k) => {
      mark.dataset.tip = told(mark);
      mark.setAttribute("tabindex", k ? "-1" : "0");
      if (mark.localName !== "td") {
        mark.setAttribute("role", "img");
        mark.setAttribute("aria-label", mark.dataset.tip);
      }
    });
    let current = marks[0];
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -Infinity, End: Infinity };
    group.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (step === undefined || !places.has(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const wanted = places.get(event.target) + step;
      const last = marks.length - 1;
      const next = Number.isFinite(step) && (wanted < 0 || wanted > last) ? event.target : marks[Math.max(0, Math.min(wanted, last))];
      next.focus();
    });
    group.addEventListener("focusin", (event) => {
      if (!places.has(event.target)) return;
      current.setAttribute("tabindex", "-1");
      current = event.target;
      current.setAttribute("tabindex", "0");
      const box = current.getBoundingClientRect();
      show(current, box.right, box.top + box.height / 2);
    });
    group.addEventListener("focusout", hide);
    group.addEventListener("pointermove", (event) => {
      const mark = event.target.closest(".mark");
      if (mark && mark.dataset.tip) show(mark, event.clientX, event.clientY);
      else hide();
    });
    group.addEventListener("pointerleave", hide);
  }
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  addEventListener("scroll", () => { if (!document.activeElement.classList.contains("mark")) hide(); }, { passive: true });
  addEventListener("beforeprint", hide);

  // Boxes that scroll are stops of the tab key; those that need not scroll are none.
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const fits = target.scrollWidth <= target.clientWidth && target.scrollHeight <= target.clientHeight;
      target.tabIndex = fits ? -1 : 0;
    }
  });
  for (const box of document.querySelectorAll(".scroll")) sizes.observe(box);
})();
