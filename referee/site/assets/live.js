// @ts-check
"use strict";

/**
 * Keeps a page up to date while its run is played. It loads `pulse.js` from the root of the site again and again, which
 * says by page what the page now is, and loads the page anew when it is another one, at the place where the reader was.
 * A switch stops this, and is remembered. It tells how old the results are, and when it seems that nobody plays any more:
 * whoever makes the site may have been killed, and cannot. Scripts are all that a page may load from file://, so the pulse is one.
 */
(() => {
  const EVERY_MS = 10_000;
  const RARELY_MS = 600_000; // as long as nothing changes, each wait is longer than the one before, up to this
  const LONGER = 1.5;
  const AGAIN_MS = 60_000; // after so long the same news may load the page again, where a server told the old page
  const QUIET_MS = 600_000; // after so long without a new result the run may have been interrupted
  const SWITCH = "golfref-live";
  const PLACE = "golfref-place";
  const PARTS = "details, .scroll, a, summary, input";

  /** @typedef {{live: boolean, pages: Record<string, string>}} Pulse */
  /** @typedef {{page: string, x: number, y: number, open: string[], across: [string, number][], focus: string, news: string, at: number}} Place */

  const own = /** @type {HTMLScriptElement} */ (document.currentScript);
  const root = own.dataset.root ?? "";
  const { page = "", stamp = "" } = document.documentElement.dataset;
  let timer = 0;
  let wait = EVERY_MS;
  let isOver = false;
  let isStopped = false;
  let told = "";

  /** @param {() => string | null} does @returns {string | null} */
  const allowed = (does) => {
    try {
      return does();
    } catch {
      return null; // the reader's browser keeps nothing for this site
    }
  };

  const parts = () => [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(PARTS))];

  /**
   * What a part of a page is known by when the page has become another one: how it is called, since places shift.
   * @param {Element} part
   */
  const nameOf = (part) => {
    const { ariaLabel } = part;
    const href = part.getAttribute("href") ?? part.getAttribute("aria-labelledby");
    const text = part instanceof HTMLDetailsElement ? part.querySelector("summary")?.textContent : part.textContent;
    return [part.localName, href ?? ariaLabel ?? text].join(" ");
  };

  /** @param {string} news */
  const keepPlace = (news) => {
    const every = parts();
    const focus = document.activeElement;
    /** @type {Place} */
    const place = {
      page,
      x: scrollX,
      y: scrollY,
      open: every.filter((part) => part instanceof HTMLDetailsElement && part.open).map(nameOf),
      across: every.flatMap((part) => (part.scrollLeft ? [[nameOf(part), part.scrollLeft]] : [])),
      focus: focus === null || focus === document.body ? "" : nameOf(focus),
      news,
      at: Date.now(),
    };
    allowed(() => (sessionStorage.setItem(PLACE, JSON.stringify(place)), null));
  };

  /** @returns {Place | null} */
  const keptPlace = () => {
    const text = allowed(() => sessionStorage.getItem(PLACE));
    const place = text === null ? null : /** @type {Place} */ (JSON.parse(text));
    return place !== null && place.page === page ? place : null;
  };

  const goToPlace = () => {
    const place = keptPlace();
    if (place === null || Date.now() - place.at > EVERY_MS) return;
    const across = new Map(place.across);
    for (const part of parts()) {
      const name = nameOf(part);
      if (part instanceof HTMLDetailsElement) part.open = part.open || place.open.includes(name);
      part.scrollLeft = across.get(name) ?? 0;
      if (name === place.focus) part.focus({ preventScroll: true });
    }
    history.scrollRestoration = "manual";
    scrollTo(place.x, place.y);
  };

  /** @param {Pulse} pulse */
  const take = ({ live, pages }) => {
    const tells = JSON.stringify(pages);
    if (tells !== told) wait = EVERY_MS;
    told = tells;
    const news = pages[page];
    if (!live) stop();
    isStopped = !live && (news === undefined || news === stamp);
    tell();
    if (news === undefined || news === stamp || !isOn()) return;
    const before = keptPlace();
    if (before !== null && before.news === news && Date.now() - before.at < AGAIN_MS) return;
    if (getSelection()?.isCollapsed === false) return; // the reader is copying something: the next pulse comes soon
    keepPlace(news);
    location.reload();
  };

  const look = () => {
    if (document.hidden || !isOn()) return;
    const pulse = document.createElement("script");
    pulse.src = `${root}pulse.js?${Date.now()}`;
    pulse.onload = pulse.onerror = () => pulse.remove();
    document.head.append(pulse);
  };

  const isOn = () => allowed(() => localStorage.getItem(SWITCH)) !== "off" && (box?.checked ?? true);
  const stop = () => ((isOver = true), clearTimeout(timer));

  const lookAndWait = () => {
    look();
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(lookAndWait, wait);
    wait = Math.min(RARELY_MS, wait * LONGER);
  };

  const bar = document.querySelector("[data-live]");
  const words = bar?.querySelector("[data-live-words]");
  const label = bar?.querySelector("label");
  const box = bar?.querySelector("input");
  const time = bar?.querySelector("time");
  const asOf = Date.parse(time?.dateTime ?? "");

  /** How long ago the results came, in words. */
  const age = () => {
    const minutes = Math.max(0, Math.floor((Date.now() - asOf) / 60_000));
    const [count, unit] = minutes < 120 ? [minutes, "minute"] : minutes < 2880 ? [Math.floor(minutes / 60), "hour"] : [Math.floor(minutes / 1440), "day"];
    return `${count} ${unit}${count === 1 ? "" : "s"}`;
  };

  const tell = () => {
    // the reader's own time, written as the page had it
    if (time) time.textContent = `${new Date(asOf).toLocaleString("sv", { dateStyle: "short", timeStyle: "short" })}, ${age()} ago`;
    if (!words) return;
    if (label) label.hidden = isStopped;
    if (isStopped) {
      words.textContent = "Interrupted: nobody plays this run now.";
      return;
    }
    const does = isOn() ? `looks for newer results every ${EVERY_MS / 1000} seconds, and less often while none come` : "stays as it is";
    const state = Date.now() - asOf > QUIET_MS ? "No result has come since: the run may have been interrupted" : "This run is still being played";
    words.textContent = `${state}. This page ${does}.`;
  };

  if (box && label) {
    label.hidden = false;
    box.checked = isOn();
    box.addEventListener("change", () => {
      allowed(() => (box.checked ? localStorage.removeItem(SWITCH) : localStorage.setItem(SWITCH, "off"), null));
      tell();
      look();
    });
  }
  /** @type {any} */ (globalThis).golfref = { .../** @type {any} */ (globalThis).golfref, pulse: take };
  tell();
  goToPlace();
  lookAndWait();
  setInterval(tell, 60_000);
  document.addEventListener("visibilitychange", () => ((wait = EVERY_MS), lookAndWait()));
})();
