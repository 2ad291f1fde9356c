"""Random play of Pgx's tic-tac-toe on the CPU, in three ways from the plain to the well-tuned.

Every step observes, as Pgx's ``step`` always does. JAX uses all cores by itself.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import act_randomly, auto_reset

from benchmarks.timing import Work

BATCH = 8192

ENV = pgx.make("tic_tac_toe")
STEP = jax.vmap(auto_reset(ENV.step, ENV.init))
PLAIN_STEP = jax.vmap(ENV.step)

Carry = tuple[Any, Any]  # Pgx's state and a random key


def first() -> Carry:
    """Returns a batch of fresh games."""
    return jax.vmap(ENV.init)(jax.random.split(jax.random.PRNGKey(0), BATCH)), jax.random.PRNGKey(1)


def one_step(carry: Carry) -> Carry:
    """Plays one random action in each game with Pgx's own functions."""
    state, key = carry
    key, to_act, to_step = jax.random.split(key, 3)
    action = act_randomly(to_act, state.legal_action_mask)
    return STEP(state, action, jax.random.split(to_step, BATCH)), key


def one_tuned_step(carry: Carry, fresh: Any) -> Carry:
    """The same with a cheaper draw (one number per game) and a cheaper reset (no keys, one selection)."""
    state, key = carry
    key, to_act = jax.random.split(key)
    ranks = jnp.cumsum(state.legal_action_mask, axis=1, dtype=jnp.int32)
    wanted = (jax.random.uniform(to_act, (BATCH, 1)) * ranks[:, -1:]).astype(jnp.int32)
    state = PLAIN_STEP(state, jnp.sum(ranks <= wanted, axis=1, dtype=jnp.int32))
    over = state.terminated
    state = jax.tree.map(
        lambda new, old: jnp.where(over.reshape((BATCH,) + (1,) * (old.ndim - 1)), new, old),
        fresh.replace(rewards=state.rewards),
        state,
    )
    return state, key


def _advancing(play: Callable[[Carry], Carry], steps: int) -> Work:
    carry = first()

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(play(carry))  # type: ignore[no-untyped-call]
        return steps * BATCH

    return work


def _scanned(step: Callable[[Carry], Carry], steps: int) -> Work:
    return _advancing(jax.jit(lambda carry: jax.lax.scan(lambda c, _: (step(c), None), carry, length=steps)[0]), steps)


def step_by_step(steps: int) -> Work:
    """One jitted call per step."""
    jitted = jax.jit(one_step)

    def play(carry: Carry) -> Carry:
        for _ in range(steps):
            carry = jitted(carry)
        return carry

    return _advancing(play, steps)


def scanned(steps: int) -> Work:
    """All steps in one ``lax.scan``."""
    return _scanned(one_step, steps)


def tuned(steps: int) -> Work:
    """All steps in one ``lax.scan``, with draw and reset written for speed."""
    fresh, _ = first()
    return _scanned(lambda carry: one_tuned_step(carry, fresh), steps)
