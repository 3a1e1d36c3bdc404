#!/usr/bin/env node
import { ownVersion } from './version.js';

const args = process.argv.slice(2);

// Answered before anything heavy is loaded: scripts ask for it often.
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // A reader that is gone is no error.
  process.stdout.on('error', () => process.exit(0));
  process.stdout.write(`${ownVersion()}\n`);
} else {
  // Where both are set, Node warns that NO_COLOR is ignored. Here it is FORCE_COLOR that is.
  if (process.env['NO_COLOR'] !== undefined && process.env['FORCE_COLOR'] !== undefined)
    process.removeAllListeners('warning');
  const { main } = await import('./main.js');
  await main(args, process);
}
