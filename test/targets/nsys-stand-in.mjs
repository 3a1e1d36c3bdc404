#!/usr/bin/env node
// Stands in for nsys, which is not to be had where there is no NVIDIA machine: checks what it is given as strictly as the documentation of the
// real one (User Guide and Post-Collection Analysis Guide) describes it, runs the program, and leaves files of the kind that nsys leaves.
// NSYS_STAND_IN names what goes wrong: no-report, no-stats, no-export, neither, nothing-recorded, odd-version, 2022.
import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';

const mode = process.env.NSYS_STAND_IN ?? '';
const [subcommand, ...args] = process.argv.slice(2);
const fixture = (name) => new URL(`../fixtures/simulator/nsys/${name}`, import.meta.url);
if (process.env.NSYS_STAND_IN_LOG !== undefined)
  appendFileSync(process.env.NSYS_STAND_IN_LOG, `${JSON.stringify([subcommand, ...args])}\n`);

function fail(text, code = 1) {
  process.stderr.write(`${text}\n`);
  process.exit(code);
}

/** Takes exactly these options, `=` within or a value behind, in any order, up to the first word that is none. */
function options(known) {
  const found = {};
  const rest = [...args];
  while (rest[0]?.startsWith('-')) {
    const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(rest.shift()) ?? fail('unrecognised option');
    if (!known.includes(name)) fail(`unrecognised option '--${name}'`);
    found[name] = value ?? rest.shift();
  }
  return [found, rest];
}

function profile() {
  const [{ trace, output, 'cuda-graph-trace': graphs, 'force-overwrite': force }, command] = options([
    'trace',
    'output',
    'cuda-graph-trace',
    'force-overwrite',
  ]);
  if (trace !== 'cuda,nvtx,osrt' || graphs !== 'node' || force !== 'true') fail('wrong options');
  if (command.length === 0) fail('No application was given.');
  if (mode === 'no-report') fail('Unable to start: permission denied.', 3);
  const child = spawn(command[0], command.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    writeFileSync(`${output}.nsys-rep`, 'a report\n');
    process.stderr.write(`Generated:\n    ${output}.nsys-rep\n`);
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}

function stats() {
  const [{ report, format, output, 'force-export': force }, [file]] = options([
    'report',
    'format',
    'output',
    'force-export',
  ]);
  const wanted =
    mode === '2022'
      ? 'gpukernsum,gpumemtimesum,gpumemsizesum,cudaapisum,nvtxsum,osrtsum'
      : 'cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_api_sum,nvtx_sum,osrt_sum';
  if (report !== wanted || format !== 'csv' || output !== '-' || force !== 'true') fail('wrong options');
  if (!existsSync(file)) fail(`File does not exist: ${file}`);
  if (mode === 'no-stats' || mode === 'neither') fail('Processing\nERROR: the report is of a newer version.');
  if (mode === '') exportTo(sqliteOf(file));
  if (mode === 'nothing-recorded') {
    process.stdout.write(`SKIPPED: ${basename(file)} does not contain CUDA kernel data.\n`);
    return;
  }
  process.stdout.write(readFileSync(fixture('stats.csv')));
}

function sqliteOf(report) {
  return report.replace(/\.nsys-rep$/, '.sqlite');
}

function exportTo(file) {
  copyFileSync(fixture('nsys-2024.sqlite'), file);
}

function exported() {
  const [{ type, output, 'force-overwrite': force }, [file]] = options(['type', 'output', 'force-overwrite']);
  if (type !== 'sqlite' || force !== 'true' || output !== sqliteOf(file)) fail('wrong options');
  if (!existsSync(file)) fail(`File does not exist: ${file}`);
  if (mode === 'no-export' || mode === 'neither' || mode === 'nothing-recorded')
    fail('ERROR: no space for the export.');
  exportTo(output);
}

if (subcommand === '--version')
  process.stdout.write(
    mode === 'odd-version'
      ? 'nsys, the other one\n'
      : `NVIDIA Nsight Systems version ${mode === '2022' ? '2022.4.2.1-df9881f' : '2024.1.1.59-241133802077v0'}\n`,
  );
else if (subcommand === 'profile') profile();
else if (subcommand === 'stats') stats();
else if (subcommand === 'export') exported();
else fail(`unknown command ${subcommand}`);
