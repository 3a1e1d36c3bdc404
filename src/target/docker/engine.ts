import type Docker from 'dockerode';

/** A container engine that answered. */
export interface Engine {
  readonly docker: Docker;
  /** Where it listens, as `DOCKER_HOST` spells it: `unix:///var/run/docker.sock`. */
  readonly host: string;
  /** What named it. */
  readonly from: 'DOCKER_HOST' | 'context' | 'default';
  /** Of the engine, and of the API that is spoken with it: `20.10.24`, `1.41`. */
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: 'docker' | 'podman';
  readonly rootless: boolean;
  /** It listens on a socket of this machine: its containers' processes may be in our /proc (still to be checked for each). */
  readonly local: boolean;
}
