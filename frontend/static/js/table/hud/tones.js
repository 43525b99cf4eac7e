/** Synthesizer of three small sounds. */

/** @typedef {"place"|"up"|"won"} Sound */

/** @type {AudioContext|null} */
let context = null;

/** @param {number} length seconds @param {number} tone filter frequency, Hz @param {number} loudness */
function rustle(length, tone, loudness) {
  if (!context) return;
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * length), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / samples.length) ** 3;
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: tone, Q: 0.8 });
  source
    .connect(filter)
    .connect(new GainNode(context, { gain: loudness }))
    .connect(context.destination);
  source.start();
}

/** @param {Sound} what */
export function make(what) {
  context ??= new AudioContext();
  // The first context was created when the module loaded, possibly too late after the user action to be allowed to
  // play.
  if (context.state === "suspended") context.resume().catch(() => {});
  if (what === "place") return rustle(0.07, 1900, 0.35);
  if (what === "up") rustle(0.05, 2600, 0.3);
  const notes = what === "up" ? [660] : [523, 659, 784, 1047];
  notes.forEach((frequency, k) => {
    if (!context) return;
    const at = context.currentTime + k * 0.13;
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.setValueAtTime(0.07, at);
    gain.gain.exponentialRampToValueAtTime(0.0005, at + 0.35);
    const tone = new OscillatorNode(context, { frequency, type: "triangle" });
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.4);
  });
}
