"""Files of networks and tables as players."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import kuhn
import numpy as np
import pytest

import kuhn_by_hand as by_hand
from command import Command
from nashzoo import agents
from nashzoo.agents.loading import called, check_exists, fingerprint, short_name
from nashzoo.baselines import exploitability, nash_conv
from nashzoo.baselines.policies.keyed import decisions
from nashzoo.envs import Game, bodega_brawl_v0
from nashzoo.envs.base.errors import UsageError

GAME = str(Path(__file__).parents[3] / "examples" / "games" / "kuhn.py")
KUHN = Game(kuhn)
BODEGA = bodega_brawl_v0.game(preset="tiny")
KEY = "{card:012}{history:pb}"
EXACT = 1e-9
TABLE = by_hand.family(0.2, king=0.3)
ROWS = by_hand.rows(TABLE)
NASH_CONV = sum(by_hand.best_responses(TABLE))
LONG = "key,action,probability\n" + "".join(f"{key},pass,{a}\n{key},bet,{b}\n" for key, (a, b) in ROWS.items())
SEATED = "player,state,text,action,probability\n" + "".join(
    f'{player},"{KUHN.spell(code, [player])}",,{action},{0.25 + action / 2}\n'
    for player, code in decisions(KUHN)
    for action in (0, 1)
)
WIDE = "\ufeffkey;pass;bet\n" + "".join(f"{key};{a};{b}\n".replace(".", ",") for key, (a, b) in ROWS.items())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, name: str) -> str:
    if name == "arrays.npz":
        np.savez(folder / name, keys=np.array(list(ROWS)), probabilities=np.array(list(ROWS.values())))
    elif name == "by_key.npz":
        np.savez(folder / name, **{key: np.array(row) for key, row in ROWS.items()})
    else:
        text = {"long.csv": LONG, "wide.csv": WIDE}.get(name, json.dumps(ROWS))
        (folder / name).write_text(text, encoding="utf-8")
    return name


@pytest.mark.parametrize("name", ["table.json", "long.csv", "wide.csv", "arrays.npz", "by_key.npz"])
def test_tables(name: str, folder: Path) -> None:
    agent = agents.as_agent(f"{written(folder, name)}(missing=uniform)", KUHN)
    assert nash_conv(KUHN, agent) == pytest.approx(NASH_CONV, abs=EXACT)
    check_exists(name)
    assert called(name) == name and fingerprint(name).startswith(f"{name}#")
    assert short_name(name).startswith(name.partition(".")[0])


def test_a_table_with_seats_and_states(folder: Path) -> None:
    (folder / "seated.csv").write_text(SEATED)
    agent = agents.as_agent("seated.csv", KUHN)
    expected = sum(by_hand.best_responses(dict.fromkeys(ROWS, 0.75)))
    assert nash_conv(KUHN, agent) == pytest.approx(expected, abs=EXACT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.json", '{"0": [0.5, 0.5], "0": [1, 0]}', "t.json: the key '0' stands there twice, with other values"),
        ("t.json", "[1]", "t.json: a table is an object of rows"),
        ("t.csv", SEATED.replace("\n1,", "\n2,"), "t.csv: the column player has the seats 0 and 1, and no '2'"),
        ("t.json", "{", "t.json: it is not JSON"),
        ("t.csv", "key,pass,bet\n0,1\n", "t.csv: a table has a heading, and in every line a key and a number"),
        ("t.csv", "", "t.csv: a table has a heading"),
        ("t.csv", f"key,pass,bet\n{'0' * 200_000},0,1\n", r"^t\.csv is no CSV: field larger than field limit"),
        ("t.csv", "key,pass,bet\n0,1,none\n", "t.csv: 'none' in the column bet is no number"),
        ("t.csv", "key,action,probability\n0,bet,1\n0,bet,1\n", "t.csv: the key '0' has the action bet twice"),
        ("t.npz", "nothing", "t.npz: it holds no arrays of numbers and texts"),
    ],
)
def test_files_that_are_no_tables(name: str, text: str, message: str, folder: Path) -> None:
    (folder / name).write_text(text)
    with pytest.raises(UsageError, match=message):
        agents.as_agent(name, KUHN)
    with pytest.raises(FileNotFoundError, match="there is no file missing"):
        agents.as_agent(f"missing.{name[2:]}", KUHN)


class TestCommand:
    LINE = f"exploitability {GAME} table.json --option key={KEY}"

    @pytest.fixture(autouse=True)
    def table(self, folder: Path) -> None:
        written(folder, "table.json")

    def test_what_is_printed(self, nashzoo: Command) -> None:
        out = nashzoo.raw(self.LINE).out
        assert max(map(len, out.splitlines()[1:])) <= 80
        words = " ".join(out.split())
        assert "exploitability 0.025 points per game; perfect play: 0 as red 0.05 less than perfect play" in words
        assert "game's value -0.055555556 to red" in words
        assert "first, as red the first departure from every equilibrium is at '2'" in words
        assert "it plays pass 0.7, bet 0.3; an equilibrium pass 0.4, bet 0.6" in words
        assert "only with what it plays before" in words and "as blue 0 " in words

    def test_json(self, nashzoo: Command) -> None:
        found = nashzoo.json(self.LINE)
        assert found["nash_conv"] == pytest.approx(NASH_CONV, abs=EXACT)
        won = by_hand.best_responses(TABLE)
        assert [found[f"best_response_{player}"] for player in range(2)] == pytest.approx(list(won), abs=EXACT)
        assert found["value"] == pytest.approx(by_hand.value(TABLE, TABLE), abs=EXACT)
        assert found["table"]["information_sets"] == found["table"]["keys"] == 12
        (at,) = found["departures"]
        assert (at["player"], at["key"]) == (0, "2") and at["cost"][0] == pytest.approx(1 / 30, abs=EXACT)

    def test_one_seat(self, nashzoo: Command, folder: Path) -> None:
        (folder / "table.json").write_text(json.dumps({key: ROWS[key] for key in by_hand.OWN[0]}))
        found = nashzoo.json(self.LINE)
        assert found["exploitability"] is found["player_1"] is found["value"] is found["best_response_0"] is None
        assert found["player_0"] == pytest.approx(0.05, abs=EXACT) and len(found["table"]["missing"]) == 6
        assert "NashConv" not in nashzoo.prints(self.LINE)

    def test_what_is_missing(self, nashzoo: Command, folder: Path) -> None:
        (folder / "table.json").write_text(json.dumps({"0": [1, 0], "1p": [1, 0]}))
        assert "the table has no row for 10 information sets of 12" in nashzoo.refused(self.LINE)
        assert "must be" in nashzoo.refused(f"{self.LINE} missing=zero")

    def test_keys_are_shown_in_quotes(self, nashzoo: Command, folder: Path) -> None:
        rows = {f"{key[0]} {key[1:]}": row for key, row in ROWS.items() if key != "1p"}
        (folder / "table.json").write_text(json.dumps(rows | {"0p": [1, 0], "0 ": [0.33, 0.66]}))
        _, out, err = nashzoo.raw(f"exploitability {GAME} table.json")
        assert err == ""
        assert "made by '{card:012} {history}'" in out and "missing         '1 p'\n" in out
        assert "no such set     '0p'\n" in out and "rounded         '0 '\n" in out

    def test_a_key_of_another_way_is_shown_how_to_say_it(self, nashzoo: Command, folder: Path) -> None:
        rows = {f"{'JQK'[int(key[0])]}:{key[1:].replace('p', 'k')}": row for key, row in ROWS.items()}
        for said, kept in (("has no row for 6", rows), ("no key, such as 'J:kb'", {"J:kb": rows["J:kb"]})):
            (folder / "table.json").write_text(json.dumps(kept))
            error = nashzoo.refused(f"exploitability {GAME} table.json")
            assert said in error and "key='{card:ABC}:{history:pb}' (which makes 'C:b') says how names" in error
        (folder / "table.json").write_text(json.dumps(rows))
        found = nashzoo.json(f"exploitability {GAME} table.json --option key={{card:JQK}}:{{history:kb}}")
        assert found["nash_conv"] == pytest.approx(NASH_CONV, abs=EXACT)

    def test_a_function_in_a_file(self, nashzoo: Command, folder: Path) -> None:
        (folder / "own.py").write_text("def play(seen, mask):\n    return mask / mask.sum(axis=-1, keepdims=True)\n")
        uniform = nashzoo.json(f"exploitability {GAME} random")["exploitability"]
        assert nashzoo.json(f"exploitability {GAME} ./own.py:play")["exploitability"] == pytest.approx(
            uniform, abs=EXACT
        )
        assert "red: ./own.py:play" in nashzoo.prints(f"watch {GAME} ./own.py:play random --seed 1")
        assert "they do not play kuhn_v0, as FILE:NAME may" in nashzoo.refused(f"exploitability {GAME} ./own.py")

    def test_a_game_without_templates_shows_none(self, nashzoo: Command, folder: Path) -> None:
        (folder / "matrix.csv").write_text(",left,right\nup,3,0\ndown,1,2\n")
        (folder / "table.json").write_text(json.dumps({"up": [1, 0]}))
        said = nashzoo.refused("exploitability matrix.csv table.json")
        assert "no key, such as 'up', names what a player of matrix sees" in said and "key=" not in said

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_torchscript_of_another_width_is_one_sentence(self, nashzoo: Command, folder: Path) -> None:
        import torch

        torch.jit.script(torch.nn.Sequential(torch.nn.Linear(18, 9))).save("net.pt")
        error = nashzoo.raw(f"exploitability {GAME} net.pt").err.splitlines()
        width = KUHN.num_features
        assert len(error) == 2 and "TorchScript, which PyTorch runs" in error[0] and "Traceback" not in error[1]
        assert f"cannot take observations of kuhn_v0, a tensor of shape (16, {width})" in error[1]
        assert f"{width} and 18x9" in error[1]


NET = """
import torch

class Net(torch.nn.Module):
    def __init__(self, features: int, actions: int):
        super().__init__()
        self.linear = torch.nn.Linear(features, actions)

    def forward(self, seen):
        return self.linear(seen)

class ForGame(Net):
    def __init__(self, game):
        super().__init__(game.num_features, game.num_actions)

class Odd(Net):
    def __init__(self, one, two, three):
        pass
"""


class TestNetworks:
    @pytest.fixture
    def net(self, folder: Path) -> Any:
        torch = pytest.importorskip("torch")
        (folder / "net.py").write_text(NET)
        place: dict[str, Any] = {}
        exec(NET, place)
        torch.manual_seed(0)
        return place["Net"](BODEGA.num_features, BODEGA.num_actions)

    @pytest.mark.slow
    def test_weights_with_their_class(self, net: Any, folder: Path) -> None:
        import torch
        from safetensors.torch import save_file

        save_file(net.state_dict(), folder / "net.safetensors")
        torch.save(net.state_dict(), folder / "net.pt")
        expected = exploitability(BODEGA, net)
        for file, name in (("net.safetensors", "Net"), ("net.pt", "ForGame")):
            agent = agents.as_agent(f"{file}(architecture=./net.py:{name})", BODEGA)
            assert exploitability(BODEGA, agent) == pytest.approx(expected, abs=EXACT)
        with pytest.raises(UsageError, match=r"is no TorchScript, which .* weights need the class of the network too"):
            agents.as_agent("net.pt", BODEGA)
        with pytest.raises(
            UsageError, match=r"must be made from nothing, the game, or the numbers .* not from one, two"
        ):
            agents.as_agent("net.pt(architecture=./net.py:Odd)", BODEGA)
        torch.save(net.linear, folder / "net.pt")  # a pickle of the whole module
        with pytest.raises(UsageError, match=r"net\.pt does not hold the weights of \./net\.py:Net alone"):
            agents.as_agent("net.pt(architecture=./net.py:Net)", BODEGA)

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_torchscript_says_before_that_it_runs(self, net: Any, capsys: pytest.CaptureFixture[str]) -> None:
        import torch

        torch.jit.trace(net, torch.zeros(1, BODEGA.num_features)).save("net.pt")
        agent = agents.as_agent("net.pt", BODEGA)
        assert "net.pt is TorchScript, which PyTorch runs: load only what you trust" in capsys.readouterr().err
        assert exploitability(BODEGA, agent) == pytest.approx(exploitability(BODEGA, net), abs=1e-6)

    @pytest.mark.skipif(importlib.util.find_spec("onnxruntime") is not None, reason="onnxruntime is installed")
    def test_onnx_needs_its_library(self, folder: Path) -> None:
        (folder / "net.onnx").write_bytes(b"")
        with pytest.raises(ImportError, match=r"net\.onnx needs onnxruntime: pip install '\.\[onnx\]'"):
            agents.as_agent("net.onnx", BODEGA)

    @pytest.mark.parametrize(
        ("batch", "masks", "names"), [("B", False, ("y",)), (1, False, ("logits", "value")), ("B", True, ("p",))]
    )
    def test_onnx(self, batch: Any, masks: bool, names: tuple[str, ...], folder: Path) -> None:
        pytest.importorskip("onnxruntime")
        onnx = pytest.importorskip("onnx")
        weights = np.random.default_rng(0).normal(size=(BODEGA.num_features, BODEGA.num_actions)).astype(np.float32)
        make, real = onnx.helper, onnx.TensorProto.FLOAT
        nodes = [make.make_node("MatMul", ["seen", "w"], ["scores" if masks else names[0]])]
        inputs = [make.make_tensor_value_info("seen", real, [batch, BODEGA.num_features])]
        outputs = [make.make_tensor_value_info(names[0], real, [batch, BODEGA.num_actions])]
        if masks:
            nodes += [make.make_node("Exp", ["scores"], ["e"]), make.make_node("Mul", ["e", "action_mask"], ["m"])]
            nodes += [make.make_node("ReduceSum", ["m", "axis"], ["s"]), make.make_node("Div", ["m", "s"], [names[0]])]
            inputs += [make.make_tensor_value_info("action_mask", real, [batch, BODEGA.num_actions])]
        if len(names) == 2:
            nodes += [make.make_node("ReduceSum", ["seen", "axis"], [names[1]])]
            outputs += [make.make_tensor_value_info(names[1], real, [batch, 1])]
        tensors = [onnx.numpy_helper.from_array(weights, "w"), onnx.numpy_helper.from_array(np.array([1]), "axis")]
        model = make.make_model(
            make.make_graph(nodes, "g", inputs, outputs, tensors), opset_imports=[make.make_opsetid("", 17)]
        )
        model.ir_version = 8
        (folder / "net.onnx").write_bytes(model.SerializeToString())
        agent = agents.as_agent("net.onnx", BODEGA)
        assert exploitability(BODEGA, agent) == pytest.approx(
            exploitability(BODEGA, lambda seen: seen @ weights), abs=1e-5
        )
        (folder / "net.onnx").write_bytes(b"nothing")
        with pytest.raises(UsageError, match=r"net\.onnx is no network that onnxruntime reads"):
            agents.as_agent("net.onnx", BODEGA)
