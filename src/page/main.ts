import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';
console.log(flamegraph, select);
