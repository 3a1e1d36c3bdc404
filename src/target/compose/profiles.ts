import { ProfilerError } from '../../model/index.js';
import { type ProjectLine, projectArguments } from './command-line.js';
import { type ComposePlace, composeFailed, mustCompose, runCompose } from './run-compose.js';

export interface ProfileChoice {
  readonly profiles: readonly string[];
  readonly because?: string;
}

/**
 * The profiles that must be on for Compose to see the service; labels do not keep them. None where it is seen as it is; else the first
 * that shows it alone; else all, since a service may depend on one of another profile. Throws ProfilerError `compose-failed` with
 * Compose's own words, or `override-service-unknown`.
 */
export async function chooseProfiles(
  line: Omit<ProjectLine, 'profiles'>,
  place: ComposePlace,
): Promise<ProfileChoice> {
  const { service } = line.origin;
  const sees = async (profiles: readonly string[]): Promise<boolean> => {
    const run = await runCompose([...projectArguments({ ...line, profiles }), 'config', '--services'], place);
    return run.code === 0 && lines(run.out).includes(service);
  };
  const argv = [...projectArguments({ ...line, profiles: [] }), 'config', '--services'];
  const plain = await runCompose(argv, place);
  if (plain.code === 0 && lines(plain.out).includes(service)) return { profiles: [] };
  const listing = [...projectArguments({ ...line, profiles: [] }), 'config', '--profiles'];
  // Whatever keeps Compose from listing the profiles is what is wrong with the files.
  const known = [...lines(await mustCompose(listing, place))].sort();
  for (const profile of known) {
    if (await sees([profile]))
      return {
        profiles: [profile],
        because: `Profile ${profile} is switched on: without it Compose does not see service ${service}.`,
      };
  }
  if (known.length > 1 && (await sees(known)))
    return {
      profiles: known,
      because: `All profiles are switched on (${known.join(', ')}): no single one shows service ${service}.`,
    };
  if (plain.code !== 0) throw composeFailed(argv, plain.err);
  throw unknownService(line, lines(plain.out));
}

function lines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

function unknownService(
  { origin }: Omit<ProjectLine, 'profiles'>,
  services: readonly string[],
): ProfilerError {
  return new ProfilerError({
    id: 'override-service-unknown',
    what: `The files of project ${origin.project} have no service ${origin.service} any more.`,
    ...(services.length === 0 ? {} : { list: services }),
    why: 'It runs from an older version of them, so Compose could not bring it back.',
    fix: 'profiler attach --via sidecar  (needs no restart)',
  });
}
