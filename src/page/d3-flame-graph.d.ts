declare module 'd3-flame-graph' {
  const flamegraph: unknown;
  export default flamegraph;
}
