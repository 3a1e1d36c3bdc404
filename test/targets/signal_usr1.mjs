// A Node that has its own idea of SIGUSR1. `handles` takes it for an order, `dies` has taken back what Node does about it, `blocked` stands
// in native code for ever, `nothing` leaves it to Node. Prints "ready", and each order.
/* oxlint-disable no-console */
import { spawnSync } from 'node:child_process';

const kind = process.argv[2];
const order = () => console.log('ordered');
if (kind === 'handles' || kind === 'dies') process.on('SIGUSR1', order);
if (kind === 'dies') process.off('SIGUSR1', order);
setInterval(() => undefined, 20);
console.log('ready');
// It ends with us.
if (kind === 'blocked') spawnSync('tail', [`--pid=${process.pid}`, '-f', '/dev/null']);
