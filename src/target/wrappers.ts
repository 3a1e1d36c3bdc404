import { baseName, type ProcExe } from './proc/command.js';

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'fish', 'busybox']);

/** Programs that only start, watch or show another one, whose arguments therefore repeat its command line. */
const STARTERS = new Set(
  [
    'tini docker-init dumb-init catatonit s6-svscan supervisord runsv init systemd',
    'docker docker-compose podman nerdctl containerd-shim containerd-shim-runc-v2 runc crun conmon',
    'kubectl nsenter unshare chroot ssh sshd tmux screen script watch make ninja',
    'sudo doas su gosu su-exec setpriv runuser env timeout nice ionice chrt taskset numactl stdbuf nohup',
    'setsid time xvfb-run catchsegv uv uvx npm npx mpirun mpiexec',
    'strace ltrace gdb perf nsys py-spy rbspy bpftrace',
    'grep egrep pgrep rg ps top htop less more tail cat tee vi vim nvim nano emacs',
  ].flatMap((line) => line.split(' ')),
);

/** Python or Node programs that start others: the script's name and, where only some of its verbs do, those verbs. */
const SCRIPTS: readonly { readonly name: RegExp; readonly verbs?: RegExp }[] = [
  { name: /^ros2$/, verbs: /^(?:launch|run)$/ },
  { name: /^(?:roslaunch|rosrun)$/ },
  { name: /^conda$/, verbs: /^run$/ },
  { name: /^(?:torchrun|accelerate|poetry|pipenv|hatch|tox)$/ },
  { name: /^(?:profiler|sim-profiler)$/ },
  { name: /^(?:npm-cli|npx-cli|yarn|yarnpkg|pnpm|nodemon|concurrently)(?:\.c?js)?$/ },
];

/** Why a process is only a wrapper around the real one; `undefined` when it is not. */
export function wrapperReason(command: readonly string[], exe: ProcExe | undefined): string | undefined {
  const invoked = baseName(command[0] ?? '')
    .replace(/^-/, '')
    .replace(/:$/, '');
  const program = exe === undefined ? invoked : baseName(exe.path);
  // npm writes what it was asked over its command line: `npm start`, as one argument.
  const titled = command.length === 1 ? (invoked.split(' ', 1)[0] ?? invoked) : invoked;
  for (const name of [titled, program]) {
    if (SHELLS.has(name)) return `${name} is a shell`;
    if (STARTERS.has(name)) return `${name} only starts or watches other processes`;
  }
  const [, script = '', verb = ''] = command;
  for (const { name, verbs } of SCRIPTS) {
    if (!name.test(baseName(script)) || verbs?.test(verb) === false) continue;
    return `${verbs === undefined ? baseName(script) : `${baseName(script)} ${verb}`} only starts other processes`;
  }
  if (
    command.some((argument) =>
      /multiprocessing\.(?:resource_tracker|forkserver|semaphore_tracker) import/.test(argument),
    )
  )
    return 'a helper of Python multiprocessing';
  return undefined;
}
