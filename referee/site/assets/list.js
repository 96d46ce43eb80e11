// The list of matches: shows only those of a game and of a bot. `#game=cactus&bot=keeper` in the address chooses, too.
"use strict";

{
    const form = /** @type {HTMLFormElement} */ (document.querySelector("form.filter"));
    const [game, bot] = form.querySelectorAll("select");
    const rows = [...document.querySelectorAll("tbody tr")].map((row) => {
        const [ofGame, ...ofBots] = [...row.querySelectorAll("bdi")].map((name) => name.textContent);
        return { row: /** @type {HTMLElement} */ (row), ofGame, ofBots };
    });

    const filter = () => {
        let shown = 0;
        for (const { row, ofGame, ofBots } of rows) {
            row.hidden = Boolean((game.value && ofGame !== game.value) || (bot.value && !ofBots.includes(bot.value)));
            shown += row.hidden ? 0 : 1;
        }
        const output = /** @type {HTMLOutputElement} */ (form.querySelector("output"));
        output.textContent = `${shown} of the ${rows.length} matches on this page`;
    };
    const choose = () => {
        const wanted = new URLSearchParams(location.hash.slice(1));
        game.value = wanted.get("game") ?? "";
        bot.value = wanted.get("bot") ?? "";
        filter();
    };

    form.addEventListener("change", () => {
        location.hash = new URLSearchParams({ game: game.value, bot: bot.value }).toString();
    });
    addEventListener("hashchange", choose);
    form.hidden = false;
    choose();
}
