// @ts-check
"use strict";

/**
 * Keeps a page current while its run is played. It loads `status.js` from the root of the site again and again: a script,
 * since nothing else can be loaded from file://. If that has another version than the page, it loads the page anew and
 * returns the reader to the place. A switch stops this. It also shows how old the results are.
 */
(() => {
  const EVERY_MS = 10_000;
  const RARELY_MS = 600_000; // as long as nothing changes, each wait is longer than the one before, up to this
  const LONGER = 1.5;
  const AGAIN_MS = 60_000; // a server may send the old page once more: the same version loads it no sooner again
  const QUIET_MS = 600_000; // after so long without a result the run may have been interrupted
  const SWITCH = "golfref-live";
  const PLACE = "golfref-place";

  /** @typedef {{live: boolean, version: string}} Status */
  /** @typedef {{page: string, version: string, at: number, y: number, x: number[], open: boolean[]}} Place */

  const own = /** @type {HTMLScriptElement} */ (document.currentScript);
  const { root = "", version: loaded = "" } = own.dataset;
  const bar = document.querySelector("[data-live]");
  const words = bar?.querySelector("[data-live-words]");
  const label = bar?.querySelector("label");
  const box = bar?.querySelector("input");
  const time = bar?.querySelector("time");
  const asOf = Date.parse(time?.dateTime ?? "");
  let timer = 0;
  let wait = EVERY_MS;
  let isOver = false;
  let newest = loaded;

  /** @param {() => string | null} does @returns {string | null} */
  const allowed = (does) => {
    try {
      return does();
    } catch {
      return null; // the browser stores nothing for this site
    }
  };

  const isOn = () => allowed(() => localStorage.getItem(SWITCH)) !== "off" && (box?.checked ?? true);
  const scrolls = () => [...document.querySelectorAll(".scroll")];
  const folds = () => [...document.querySelectorAll("details")];

  /** @returns {Place | null} */
  const lastPlace = () => {
    const place = /** @type {Place | null} */ (JSON.parse(allowed(() => sessionStorage.getItem(PLACE)) ?? "null"));
    return place?.page === location.pathname ? place : null;
  };

  const returnToPlace = () => {
    const place = lastPlace();
    if (place === null || Date.now() - place.at > EVERY_MS) return;
    folds().forEach((one, number) => (one.open = place.open[number] ?? one.open));
    scrolls().forEach((one, number) => (one.scrollLeft = place.x[number] ?? 0));
    history.scrollRestoration = "manual";
    scrollTo(0, place.y);
  };

  /** @param {string} version */
  const reload = (version) => {
    const before = lastPlace();
    if (before?.version === version && Date.now() - before.at < AGAIN_MS) return;
    if (getSelection()?.isCollapsed === false) return; // the reader is copying something
    const x = scrolls().map((one) => one.scrollLeft);
    const open = folds().map((one) => one.open);
    /** @type {Place} */
    const place = { page: location.pathname, version, at: Date.now(), y: scrollY, x, open };
    allowed(() => (sessionStorage.setItem(PLACE, JSON.stringify(place)), null));
    location.reload();
  };

  /** @param {Status} status */
  const take = ({ live, version }) => {
    if (version !== newest) wait = EVERY_MS;
    newest = version;
    isOver = !live;
    show();
    if (version !== loaded && isOn()) reload(version);
  };

  const look = () => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(look, wait);
    wait = Math.min(RARELY_MS, wait * LONGER);
    if (document.hidden || !isOn()) return;
    const status = document.createElement("script");
    status.src = `${root}status.js?${Date.now()}`;
    status.onload = status.onerror = () => status.remove();
    document.head.append(status);
  };

  /** How long ago the last result came, in words. */
  const age = () => {
    const minutes = Math.max(0, Math.floor((Date.now() - asOf) / 60_000));
    const [count, unit] = minutes < 120 ? [minutes, "minute"] : [Math.floor(minutes / 60), "hour"];
    return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  };

  /** The reader's own time, with the day unless it is today. */
  const localTime = () => {
    const [day, hour] = new Date(asOf).toLocaleString("sv", { dateStyle: "short", timeStyle: "short" }).split(" ");
    return day === new Date().toLocaleDateString("sv") ? hour : `${day} ${hour}`;
  };

  const show = () => {
    if (time) time.textContent = `${localTime()}, ${age()}`;
    if (!words) return;
    const isStopped = isOver && newest === loaded;
    if (label) label.hidden = isStopped;
    const does = isOn() ? `looks for newer results every ${EVERY_MS / 1000} seconds, and less often while none come` : "stays as it is";
    const isQuiet = Date.now() - asOf > QUIET_MS;
    const state = isQuiet ? "No result has come since: the run may have been interrupted" : "This run is still being played";
    words.textContent = isStopped ? "Interrupted: nobody plays this run now." : `${state}. This page ${does}.`;
  };

  if (box && label) {
    label.hidden = false;
    box.checked = isOn();
    box.addEventListener("change", () => {
      allowed(() => (box.checked ? localStorage.removeItem(SWITCH) : localStorage.setItem(SWITCH, "off"), null));
      show();
      look();
    });
  }
  /** @type {any} */ (globalThis).golfref = { .../** @type {any} */ (globalThis).golfref, status: take };
  show();
  returnToPlace();
  look();
  setInterval(show, 60_000);
  document.addEventListener("visibilitychange", () => ((wait = EVERY_MS), look()));
})();
