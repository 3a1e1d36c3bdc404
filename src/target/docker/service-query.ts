export interface ServiceQuery {
  readonly service: string;
  readonly project?: string;
  /** Which container of a scaled service, from 1. */
  readonly index?: number;
  /** The project was started from all of these, and perhaps others. Relative to `cwd`. */
  readonly composeFiles?: readonly string[];
  readonly cwd?: string;
  /** The command that asks, for the lines to type: `override`, `--restore`. Default: `attach`. */
  readonly command?: readonly string[];
}
