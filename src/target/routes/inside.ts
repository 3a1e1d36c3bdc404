import type { Container } from '../docker/container.js';
import type { Engine } from '../docker/engine.js';
import type { RouteContext } from './route.js';

/** Where a program is run, and as whom. */
export interface Inside {
  readonly context: RouteContext;
  readonly engine: Engine;
  readonly container: Container;
  /** `UID:GID`. */
  readonly user: string;
  readonly privileged: boolean;
}
