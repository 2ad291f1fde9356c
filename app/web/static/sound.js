// Short tones, off until somebody wants them.

import { keep, kept } from "./navigation.js";

const TONES = {
  // frequency in Hz, begin and length in seconds
  hit: [[196, 0, 0.09]],
  win: [
    [523, 0, 0.14],
    [659, 0.11, 0.14],
    [784, 0.22, 0.3],
  ],
  loss: [
    [294, 0, 0.18],
    [220, 0.16, 0.34],
  ],
  draw: [
    [330, 0, 0.14],
    [330, 0.16, 0.14],
  ],
};
let audio = null;

export const isLoud = () => kept("sound") === "on";

export function setLoud(loud) {
  keep("sound", loud ? "on" : "off");
  sound("hit");
}

export function sound(name) {
  if (!isLoud()) return;
  audio ??= new AudioContext();
  for (const [frequency, begin, length] of TONES[name]) {
    const wave = new OscillatorNode(audio, { type: "triangle", frequency }),
      volume = new GainNode(audio, { gain: 0 }),
      now = audio.currentTime + begin;
    volume.gain.setValueAtTime(0.2, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + length);
    wave.connect(volume).connect(audio.destination);
    wave.start(now);
    wave.stop(now + length);
  }
}
