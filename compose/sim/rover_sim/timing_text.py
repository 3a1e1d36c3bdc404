"""The text of the hook and the load table, as robot simulators print them."""


def format_timing(report):
    """The hook table of `Engine.timing_report()`, without a final newline."""
    lines = ['per-plugin hook timing (avg \u00b5s/call):']
    for name in sorted(report):
        for hook in sorted(report[name]):
            lines.append('  %-24s %-10s %10.2f \u00b5s' % (name, hook, report[name][hook]))
    return '\n'.join(lines)


def format_load_timing(report):
    """The load tables of `Engine.load_report()`, without a final newline."""
    lines = ['load-phase timing (totals, ms):']
    for label, total in report['phases'].items():
        lines.append('  %-24s %10.1f' % (label, total * 1e3))
    lines.append('per-plugin build/configure (count / total ms / max ms):')
    rows = [(name, hook, count, total, longest)
            for name, hooks in report['plugins'].items() for hook, (count, total, longest) in hooks.items()]
    for name, hook, count, total, longest in sorted(rows, key=lambda row: -row[3]):
        lines.append('  %-24s %-10s %5d %10.1f %9.1f' % (name, hook, count, total * 1e3, longest * 1e3))
    return '\n'.join(lines)
