/** What kind of code a frame is. `marker` is a label that a sampler writes among frames, such as `<GC>`. */
export type FrameKind = 'python' | 'js' | 'native' | 'kernel' | 'gpu' | 'marker' | 'unknown';

/** One place in the code. Two frames with equal fields are the same frame; a profile interns them. */
export interface Frame {
  /** Function as the sampler names it: `Engine.step`, `mj_step`, `<module>`. Never empty. */
  readonly name: string;
  readonly kind: FrameKind;
  /** Source file, cut at its package where the sampler or the recording knows it: `roqsim/engine.py`. */
  readonly file?: string;
  /** Line being executed, from 1. */
  readonly line?: number;
  /** Library of a native frame: `libmujoco.so.3.14.0`, `mujoco/_functions.cpython-311-x86_64-linux-gnu.so`. */
  readonly module?: string;
  /** Text of the line being executed, trimmed, when it could be read while the target lived. */
  readonly sourceText?: string;
  /** The sampler read a wrong string object as the name (py-spy #772): shown shortened, never split. */
  readonly corrupt?: true;
}
