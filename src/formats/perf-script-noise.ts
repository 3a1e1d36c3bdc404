// What perf and the programs it calls say beside the data, which lands among it with `> FILE 2>&1`.

const LOST_DATA =
  /instruction trace error|^Processed \d+ (?:events and lost \d+ chunks|samples and lost [\d.]+%)|^(?:AUX data|Trace data) lost|^Check IO\/CPU overload!/;

/** Whether perf says that events were lost, without saying how many samples that is. */
export function isLostData(line: string): boolean {
  return LOST_DATA.test(line.slice(0, 200).trimStart());
}
