// @ts-check
"use strict";

/**
 * The hall view shows its panels by turns, as the clock says, so that a reload changes nothing; a panel that the address
 * names stays. `index.html?hall` leads to the hall view.
 */
(() => {
  const EACH_MS = 12_000;

  if (!document.body.classList.contains("hall")) {
    if (new URLSearchParams(location.search).has("hall")) location.replace("hall.html");
    return;
  }
  const panels = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".panel")]);
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("nav a")]);
  const clock = /** @type {HTMLElement} */ (document.querySelector("[data-clock]"));

  const show = () => {
    const now = Date.now();
    const named = panels.find((one) => `#${one.id}` === location.hash);
    const shown = named ?? panels[Math.floor(now / EACH_MS) % panels.length];
    for (const one of panels) one.hidden = one !== shown;
    for (const link of links) {
      const isCurrent = link.hash ? link.hash === `#${shown?.id}` : named === undefined;
      link.toggleAttribute("aria-current", isCurrent);
    }
    clock.textContent = new Date(now).toLocaleTimeString("sv", { hour: "2-digit", minute: "2-digit" });
    scrollTo(0, 0); // the address of a panel scrolls to it
  };

  show();
  setInterval(show, 1000);
  addEventListener("hashchange", show);
})();
