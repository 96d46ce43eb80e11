"""The games in OpenSpiel: its own tests pass, chance deals what the tree says, and nobody is told too much."""

import sys
import unittest
from collections import Counter
from typing import Any

import numpy as np
import pytest
from needs import need_modules
from wandering import dice

from referee.research import Env
from referee.rules.game import Game
from referee.rules.questions import Response
from referee.rules.variants import PRESETS

pytestmark = pytest.mark.research

TINY: dict[str, Any] = {"pack": ["2S"] * 9 + ["9S"], "turn_cap": 1}
"""Cambio for two with so few cards and turns that its tree can be walked."""


@pytest.fixture(scope="module", autouse=True)
def spiel() -> Any:
    need_modules("pyspiel", extra="openspiel")
    from referee.research.adapters import openspiel

    return openspiel


@pytest.fixture(scope="module")
def pyspiel(spiel: Any) -> Any:
    return spiel.pyspiel


def wander(state: Any, chance: Any, nodes: int = 10**6) -> Any:
    """Go on by the dice, at most so many nodes."""
    while nodes and not state.is_terminal():
        actions = state.legal_actions()
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choices(actions, weights)[0])
        else:
            state.apply_action(chance.choice(actions))
        nodes -= 1
    return state


@pytest.mark.parametrize(
    "parameters",
    [
        "preset=four-card,players=4,rounds=2",
        "preset=cactus,players=4,options=slap_tries:3",
        "preset=cambio,players=3,options=slaps:true;initial_look:any:2",
        "preset=powers,players=3,rounds=2,options=shield_uses:unlimited",
        "preset=par-3,options=par_choice:dealer,rounds=2",
        "preset=six-card,pack=AS AS AS AS AS AS AS AS KS KS KS KS KS KS KS KS",
        *(
            pytest.param(f"preset={preset}{',rounds=0' * (preset == 'cambio')}", marks=pytest.mark.full)
            for preset in PRESETS
            if preset != "par-course"  # its nine holes take long
        ),
    ],
)
def test_random_sim_test_of_openspiel_passes(pyspiel: Any, parameters: str) -> None:
    game = pyspiel.load_game(f"python_golf({parameters})")
    assert sum(wander(game.new_initial_state(), dice(2)).returns()) == pytest.approx(0)
    pyspiel.random_sim_test(game, 1, True, False)


@pytest.mark.parametrize("preset", ["six-card", "cactus"])
def test_the_api_tests_of_openspiel_pass(pyspiel: Any, monkeypatch: pytest.MonkeyPatch, preset: str) -> None:
    """Its tests for all registered games, which look at states of two matches here."""
    from open_spiel.integration_tests import api_test

    def some_states(game: Any, max_states: int) -> list[Any]:
        found: list[Any] = []
        for seed in range(2):
            state = game.new_initial_state()
            while not state.is_terminal() and len(found) < max_states:
                found.append(state.clone())
                wander(state, dice(seed + len(found)), 3)
            found.append(state)
        return found

    monkeypatch.setattr(api_test.sample_some_states, "sample_some_states", some_states)
    names = {"game_name": "python_golf", "game": pyspiel.load_game(f"python_golf(preset={preset})")}
    case = type("GolfTest", (api_test.EnforceAPIOnPartialTreeBase,), names)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert [text for _, text in (*result.failures, *result.errors)] == []


@pytest.mark.parametrize("preset", ["six-card", "cactus", "powers"])
def test_a_draw_replays_its_turn_alone(pyspiel: Any, preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, lot, answers = pyspiel.load_game(f"python_golf(preset={preset})"), dice(4), list[Response]()
    go_on = Game.go_on

    def counted(self: Game, response: Response) -> None:
        answers.append(response)
        go_on(self, response)

    monkeypatch.setattr(Game, "go_on", counted)
    state, most = game.new_initial_state(), 0
    while not state.is_terminal():
        is_draw = state.is_chance_node()
        answers.clear()
        wander(state, lot, 1)
        most = max(most, len(answers) * is_draw)
    assert 0 < most < 16


def test_chance_draws_from_the_cards_that_are_left(pyspiel: Any) -> None:
    game = pyspiel.load_game("python_golf(preset=two-deck,players=6)")
    state, lot = game.new_initial_state(), dice(3)
    left = Counter(game.tree.pack)
    assert left.total() == 104
    while not state.is_terminal() and left.total() > 60:
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert {game.tree.cards[number]: probability for number, probability in outcomes} == {
                card: pytest.approx(count / left.total()) for card, count in left.items() if count
            }
            drawn = lot.choice(outcomes)[0]
            assert state.action_to_string(-1, drawn) == game.tree.cards[drawn]
            left[game.tree.cards[drawn]] -= 1
            state.apply_action(drawn)
        else:
            table = state.path.env.game.table
            lie = [slot.card for layout in table.layouts for slot in layout if slot is not None]
            held = [] if table.hand is None else [table.hand]
            assert Counter(game.tree.pack) - Counter([*lie, *table.pile, *held]) == +left
            state.apply_action(lot.choice(state.legal_actions()))


@pytest.mark.parametrize("preset", ["cactus", "powers"])
def test_the_outcome_does_not_depend_on_when_states_are_copied(pyspiel: Any, preset: str) -> None:
    game = pyspiel.load_game(f"python_golf(preset={preset},players=3,rounds=2)")
    whole = wander(game.new_initial_state(), dice(5))
    state, lot = game.new_initial_state(), dice(1)
    for action in whole.history():
        clone, child = state.clone(), state.child(action)
        if lot.random() < 0.1:
            wander(clone, lot, 20)
            clone = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1]
        state = lot.choice([child, clone])
        if state is clone:
            state.apply_action(action)
    assert state.history() == whole.history()
    assert str(state) == str(whole)
    assert state.returns() == whole.returns()
    for player in range(3):
        assert state.information_state_string(player) == whole.information_state_string(player)


def test_the_first_of_several_slaps_is_drawn_at_a_chance_node_of_its_own(pyspiel: Any) -> None:
    game = pyspiel.load_game("python_golf(preset=cactus,players=3)")
    met = 0
    for seed in range(30):
        state, lot = game.new_initial_state(), dice(seed)
        while not state.is_terminal() and not met:
            if state.is_chance_node() and state.action_to_string(-1, state.legal_actions()[0]).endswith("slaps first"):
                outcomes = state.chance_outcomes()
                assert {probability for _, probability in outcomes} == {1 / len(outcomes)}
                for first, _ in outcomes:
                    told = state.child(first)
                    wander(told, lot, 0)
                    slaps = [line for line in str(told).splitlines() if "lots" in line]
                    assert f"lots {first}" in slaps[0]
                met += 1
            wander(state, lot, 1)
    assert met


@pytest.mark.parametrize("preset", ["six-card", "cactus", "powers", "cambio"])
def test_a_player_cannot_tell_a_resampled_state_from_the_true_one(pyspiel: Any, preset: str) -> None:
    game = pyspiel.load_game(f"python_golf(preset={preset},rounds=2)")
    lot, state, others = dice(11), game.new_initial_state(), 0
    while not state.is_terminal():
        if not state.is_chance_node() and lot.random() < 0.15:
            for player in range(game.num_players()):
                other = state.resample_from_infostate(player, lot.random)
                assert other.information_state_string(player) == state.information_state_string(player)
                assert other.observation_tensor(player) == state.observation_tensor(player)
                assert other.current_player() == state.current_player()
                again = game.new_initial_state()
                for action in other.history():
                    assert action in again.legal_actions()
                    again.apply_action(action)
                assert str(again) == str(other)
                others += other.history() != state.history()
                wander(other, lot, 30)
        wander(state, lot, 1)
    assert others


def test_observations_are_those_of_the_env(pyspiel: Any) -> None:
    state = wander(pyspiel.load_game("python_golf(preset=powers,players=3)").new_initial_state(), dice(8), 40)
    wander(state, dice(8), 1) if state.is_chance_node() else None
    env: Env = state.path.env
    for player in range(3):
        assert np.allclose(state.observation_tensor(player), env.tensor(player))


def test_a_tiny_game_can_be_solved(spiel: Any, pyspiel: Any) -> None:
    """External sampling MCCFR comes nearer to an equilibrium of a game whose whole tree is walked."""
    from open_spiel.integration_tests.api_test import _assert_is_perfect_recall
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability, external_sampling_mccfr

    game = spiel.load("cambio", 2, **TINY)
    assert len(_assert_is_perfect_recall(game)) > 100
    np.random.seed(1)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(150):
        solver.iteration()
    before = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    assert exploitability.exploitability(game, solver.average_policy()) < before / 2
    del pyspiel


def test_names_and_parameters_come_back(spiel: Any, pyspiel: Any) -> None:
    options: dict[str, Any] = {
        "knock_penalty": "add:10",
        "cancel": ["col", "row"],
        "values": {"K": -2, "Q": 0},
        "jack_skip": True,
    }
    game = spiel.load("six-card", 3, rounds=2, end_mode="both", **options)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    assert (
        again.tree.template.variant
        == game.tree.template.variant
        == Env("six-card", 3, rounds=2, end_mode="both", **options).variant
    )
    assert game.num_players() == 3
    assert "python_golf" in pyspiel.registered_names()


def test_mistakes_are_named(pyspiel: Any) -> None:
    for parameters, message in (
        ("preset=six-cards", "unknown variant `six-cards`; did you mean `six-card`"),
        ("preset=four-card,players=8", "players: four-card is for 2 to 7 seats"),
        ("rounds=-1", "rounds: expected 0 .* or more, got -1"),
        ("options=turn_cap", "options: expected NAME:VALUE with ; between them, got 'turn_cap'"),
        ("pack=1E 1E", "pack: 1E is no card of six-card"),
        ("pack=AS AS", "pack: expected at least 14 cards for 2 players, got 2"),
    ):
        with pytest.raises(ValueError, match=message):
            pyspiel.load_game(f"python_golf({parameters})")
    state = pyspiel.load_game("python_golf(preset=six-card)").new_initial_state()
    with pytest.raises(ValueError, match="outcome 99: this is none of the outcomes"):
        state.apply_action(99)
    with pytest.raises(ValueError, match="action: expected a number from 0 to 51, got 99"):
        state.action_to_string(99)
    wander(state, dice(1), 13)
    with pytest.raises(ValueError, match=r"seat 0 may not answer number 30 .*to `turn_up`"):
        state.apply_action(30)


def test_without_the_library_one_sentence_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "referee.research.adapters.openspiel")
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs OpenSpiel, which is not installed; .* -m pip install"):
        import referee.research.adapters.openspiel  # noqa: F401
