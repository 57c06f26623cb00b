{{define "about malleable"}}"""Resizes malleable jobs beside rigid jobs under EASY backfilling.

It asks Slurm for its queue from time to time. Slurm starts all jobs. The controller shrinks malleable jobs where a waiting
job can then start, and lets them grow onto nodes that no job can use. Without --go it only logs what it would do.

In the decisions a malleable job counts with its fewest nodes. Jobs start in the order of the queue. A job may overtake the
first job that has to wait if it does not delay that job, by the time limits of the jobs. The nodes that rigid jobs leave
are divided among the malleable jobs as evenly as their bounds allow.

Slurm says of a job how many nodes it has, but not how many it may have. So a malleable job names its bounds in its comment,
such as partwise=4-16:

  sbatch --nodes=4-16 --comment=partwise=4-16 --time=8:00:00 slurm.sh

A job without such a comment is rigid. Malleable jobs shrink in place, and grow by a checkpoint (signal USR1, --grace
seconds) and a requeue at their new size: Slurm does not document how to grow a job in place. Slurm 22.05 starts a requeued
job after 120 s at the earliest. The study assumed that malleable jobs run on {{.Malleable.Least}} to {{.Malleable.Most}} times the nodes that they ask for.
{{- if .Malleable.StartWindow}}
Not in this file: the start window {{.Malleable.StartWindow}}. Slurm starts jobs at any time, and the controller resizes jobs at any time.
{{- end}}

  python3 controller.py --name {{.Malleable.Partition}}                     a dry run: logs what it would do
  python3 controller.py --name {{.Malleable.Partition}} --go --log log.txt  does it
  python3 controller.py --replay queue.jsonl               decides on a recorded queue
  python3 controller.py --serve 9100                       a dry run that others carry out: Prometheus reads wanted_nodes
                                                           at /metrics

A line of the log is what was decided on at a poll. Jobs of "do" that wait are those that Slurm can start now. A recorded
queue has a line for every poll, such as
  {"now": 60.0, "queue": [["17", "running", 32, 5.0, 16, 64, 3600.0], ["18", "waiting", 0, 0, 8, 8, 600.0]]}
with the name, the state, the nodes, the start, the fewest and the most nodes of each job, in the order of the queue. The last
number is the expected end of a running job, and the time limit of a waiting job.
"""{{end}}

{{define "machine of malleable"}}NODES, UNIT = {{.Nodes}}, {{.Unit}}  # nodes that are up, and what the nodes of malleable jobs are multiples of{{end}}

{{define "malleable"}}def within(sizes, least, most, units):
    """Divides units among jobs as evenly as their bounds allow, and changes as few of their sizes as can be."""
    def total(level):
        return sum(min(max(level, low), high) for low, high in zip(least, most))

    level = 0  # the largest size that all jobs can have, within their bounds
    while level < units and total(level + 1) <= units:
        level += 1
    result = [min(max(level, low), high) for low, high in zip(least, most)]
    unbound = [k for k in range(len(sizes)) if least[k] <= level < most[k]]
    if unbound:
        left = units - total(level) + level * len(unbound)
        for k, size in zip(unbound, even([sizes[k] for k in unbound], left)):
            result[k] = size
    return result


class Rule:
    """EASY backfilling, which needs to remember nothing from poll to poll."""

    def __init__(self):
        self.shares = 0  # running jobs

    def decide(self, now, queue):
        """Returns the nodes that jobs are to be given, by job, and why."""
        running = sorted((job for job in queue if job[1] == "running"), key=lambda job: job[3])
        waiting = [job for job in queue if job[1] == "waiting"]
        self.shares = len(running)
        starts = self.starts(now, running, waiting)
        left, jobs = NODES, []
        for job in running + starts:
            least, most = bounds(job)
            if least % UNIT or least // UNIT == most // UNIT:
                left -= least
            else:
                jobs.append((job, least // UNIT, most // UNIT))
        sizes = within([job[2] // UNIT for job, *_ in jobs], [least for _, least, _ in jobs], [most for *_, most in jobs], left // UNIT)
        wanted = {job[0]: size * UNIT for (job, *_), size in zip(jobs, sizes)}
        do = {job[0]: wanted.get(job[0], bounds(job)[0]) for job in starts}
        do.update({job[0]: wanted[job[0]] for job in running if wanted.get(job[0], job[2]) != job[2]})
        return do, "divided" if do else "nothing to do"

    def starts(self, now, running, waiting):
        """Returns the waiting jobs that EASY starts if all malleable jobs have their fewest nodes."""
        free, starts = NODES - sum(bounds(job)[0] for job in running), []
        head = 0
        while head < len(waiting) and bounds(waiting[head])[0] <= free:
            free -= bounds(waiting[head])[0]
            starts.append(waiting[head])
            head += 1
        if head == len(waiting):
            return starts
        shadow, extra = reservation(now, running, starts, free, bounds(waiting[head])[0])
        for job in waiting[head + 1:]:
            nodes = bounds(job)[0]
            if nodes > free:
                continue
            if now + job[6] > shadow:
                if nodes > extra:
                    continue
                extra -= nodes
            free -= nodes
            starts.append(job)
        return starts


def bounds(job):
    """Returns the fewest and the most nodes that a job may be given, in multiples of UNIT; of a rigid job, its nodes."""
    _, _, nodes, _, least, most, _ = job
    if least == most:
        return nodes or least, nodes or least
    return min(-(-least // UNIT) * UNIT, most), most


def reservation(now, running, starts, free, need):
    """Returns when the first job that has to wait has enough nodes, and how many nodes are then left."""
    ends = [(job[6], bounds(job)[0]) for job in running] + [(now + job[6], bounds(job)[0]) for job in starts]
    shadow = None
    for end, nodes in sorted(ends, key=lambda end: end[0]):
        if shadow is not None and end > shadow:
            break
        free += nodes
        if shadow is None and free >= need:
            shadow = end
    return float("inf") if shadow is None else shadow, free - need{{end}}

{{define "queue of malleable"}}    def queue(self):
        rows = []
        for line in run("squeue", "--noheader", "--partition=" + self.name, "--states=PD,CF,R,S", "--sort=-p,V,i",
                        "--format=%i|%t|%r|%D|%S|%l|%e|%k").splitlines():
            job, state, reason, nodes, start, limit, end, comment = line.strip().split("|", 7)
            if state == "PD" and ("held" in reason.lower() or reason in ("Dependency", "BeginTime")):
                continue  # it may not start yet
            least, most = nodes, nodes
            if comment.startswith("partwise="):
                least, _, most = comment[len("partwise="):].partition("-")
            waits = state == "PD"
            rows.append((job, "waiting" if waits else "running", 0 if waits else int(nodes), start, int(least), int(most or least),
                         seconds(limit) if waits else clock(end)))
        return rows
{{end}}

{{define "times of Slurm"}}def seconds(limit):
    """Returns a time limit of Slurm in seconds: [days-][[hours:]minutes:]seconds."""
    if not limit[:1].isdigit():
        return float("inf")  # UNLIMITED
    days, _, rest = limit.rpartition("-")
    total = 0
    for part in rest.split(":"):
        total = 60 * total + int(part)
    return 86400 * int(days or 0) + total


def clock(date):
    """Returns a date of Slurm in seconds, as time.time() counts them."""
    if not date[:1].isdigit():
        return float("inf")  # no time limit
    return time.mktime(time.strptime(date, "%Y-%m-%dT%H:%M:%S"))


{{end}}
