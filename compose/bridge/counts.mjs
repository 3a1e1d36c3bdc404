/** What the bridge did and what it could not do: nothing is left out in silence. */
export function newCounts() {
  return {
    /** Steps of the loop that published, and those that were due while an earlier one still ran. */
    steps: 0,
    late: 0,
    clients: 0,
    broken: 0,
    sent: 0,
    /** Not sent, since the client was too far behind or about to leave. */
    skipped: 0,
    /** Handed over, but the socket ended first. */
    failed: 0,
    poses: 0,
    /** Lines of the feed that hold no pose. */
    bad: 0,
  };
}
