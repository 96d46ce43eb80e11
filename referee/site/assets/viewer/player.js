/** Playing a match by itself, at a speed. */

export const SPEEDS = [0.5, 1, 2, 4, 8];

/** How long a step is shown at speed 1, in milliseconds. */
const STEP_MS = 1400;

/**
 * @param {() => boolean} forward shows the next step, and says whether there was one
 * @param {(isPlaying: boolean) => void} tell called when playing begins or ends
 */
export function playerOf(forward, tell) {
    /** @type {number | null} */
    let timer = null;
    let speed = 1;

    function tick() {
        timer = window.setTimeout(tick, STEP_MS / speed);
        if (!forward()) stop();
    }

    function stop() {
        if (timer === null) return;
        window.clearTimeout(timer);
        timer = null;
        tell(false);
    }

    function play() {
        if (timer !== null) return;
        tell(true);
        tick();
    }

    return {
        stop,
        toggle: () => (timer === null ? play() : stop()),
        isPlaying: () => timer !== null,
        /** @param {number} factor */
        setSpeed(factor) {
            speed = factor;
        },
        speed: () => speed,
    };
}
