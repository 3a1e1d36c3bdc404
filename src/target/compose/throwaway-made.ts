import type Docker from 'dockerode';
import { FILES_LABEL } from './origin.js';
import { isThrowaway } from './throwaway.js';

/** Whether Compose made a container with a throwaway file of ours. */
export function isThrowawayMade({ Config }: Pick<Docker.ContainerInspectInfo, 'Config'>): boolean {
  return (Config.Labels[FILES_LABEL] ?? '').split(',').some(isThrowaway);
}
