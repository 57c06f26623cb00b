{{define "about rule"}}"""Resizes running jobs by the rule {{.Rule}}.

It asks a batch system for its queue from time to time, divides the nodes as the rule says, and tells the system. Without
--go it only logs what it would do.

Of 1, 2, ... jobs each gets {{.Ladder}} nodes. At most {{.Jobs}} jobs run at a time.

All jobs that it sees must be able to run on {{.Least}} to {{.Most}} nodes:
  slurm     jobs of the partition --name, made by sbatch --hold. They shrink in place, and grow by a checkpoint (signal
            USR1, --grace seconds) and a requeue at their new size: Slurm does not document how to grow a job in place.
            Slurm 22.05 starts a requeued job after 120 s at the earliest.
  kueue     batch Jobs with the label partwise=NAME, spec.suspend and the annotation kueue.x-k8s.io/elastic-job, but
            without the label kueue.x-k8s.io/queue-name: the controller adds it, and Kueue starts the job.
  kubeflow  PyTorchJobs with the label partwise=NAME and spec.runPolicy.suspend.

  python3 controller.py --system slurm --name elastic                     a dry run: logs what it would do
  python3 controller.py --system slurm --name elastic --go --log log.txt  does it
  python3 controller.py --replay queue.jsonl                              decides on a recorded queue
  python3 controller.py --system kubeflow --serve 9100                    a dry run that autoscalers carry out: Prometheus
                                                                          reads wanted_nodes at /metrics

A line of the log is what was decided on at a poll and why. A recorded queue has a line for every poll, such as
  {"now": 60.0, "queue": [["17", "running", 32, 5.0], ["18", "waiting", 0, 0]]}
with the name, the state, the nodes and the start of each job, in the order in which they were submitted.
"""{{end}}

{{define "machine of rule"}}# The machine, and the rule, which partwise advise explains; 0 is without that part of the rule.
NODES, UNIT = {{.Nodes}}, {{.Unit}}  # nodes that are up, and what the nodes of jobs are multiples of
CAP, FLOOR = {{.Jobs}}, {{.Fewest}}  # the most jobs that run, and the fewest shares of the machine
COOLDOWN = {{.Seconds}}  # seconds between resizes of running jobs
HYSTERESIS = {{.Rule.Hysteresis}}  # the factor by which shares must change
BATCH = {{.Rule.Batch}}  # arrivals and departures between resizes
WAIT = {{.Rule.Wait}}  # waiting jobs without which no job is made smaller
DEPARTURES = {{if .Rule.Departures}}True{{else}}False{{end}}  # running jobs are resized when a job ends, not when one comes{{end}}

{{define "rule"}}class Rule:
    """What the rule remembers from poll to poll."""

    def __init__(self):
        self.known, self.order = set(), []  # all jobs of the last poll; those that run, in the order of their starts
        self.shares = self.changes = 0  # of the machine; arrivals and departures since the last resize
        self.until = None  # the end of the cooldown, if there is one to come

    def decide(self, now, queue):
        """Returns the nodes that jobs are to be given, by job, and why."""
        names = {job for job, *_ in queue}
        held = {job: nodes for job, state, nodes, _ in queue if state == "running"}
        begun = {job: start for job, _, _, start in queue}
        waiting = [job for job, state, *_ in queue if state == "waiting"]
        if held and not self.shares:  # a controller that begins beside running jobs: as if it had just resized them
            self.known, self.shares, self.until = names, len(held), now + COOLDOWN
        came, left = len(names - self.known), len(self.known - names)
        self.known = names
        self.order = [job for job in self.order if job in held]
        self.order += sorted(held.keys() - set(self.order), key=lambda job: (begun[job], list(begun).index(job)))
        self.changes = self.changes + left + (0 if DEPARTURES else came) if held else 0
        over = self.until is not None and now >= self.until
        if not queue or not (came or left or over):
            return {}, "nothing new"
        if over:
            self.until = None
        shares, why = self.divides(now, len(held), len(waiting), came > 0 and left == 0)
        if shares is None:
            return self.hand_out(held, waiting), why
        self.shares = shares
        jobs = self.order + waiting
        sizes = [held[job] // UNIT for job in self.order]
        sizes = even(sizes + [0] * (shares - len(sizes)), NODES // UNIT)
        do = {job: n * UNIT for job, n in zip(jobs, sizes) if held.get(job) != n * UNIT}
        if any(job in held for job in do):
            self.changes, self.until = 0, now + COOLDOWN if COOLDOWN else None
        return do, why

    def divides(self, now, running, waiting, arrival):
        """Returns the shares that the machine is to be divided into anew, or None, and why."""
        jobs, shares = running + waiting, self.shares
        to = min(max(jobs, FLOOR), CAP)
        if running == 0:
            return to, "nobody is resized"
        if self.until is not None:
            return None, "cooldown"
        if self.changes < BATCH:
            return None, "batch"
        if DEPARTURES and arrival:
            return None, "an arrival"
        if to > shares and waiting < WAIT:
            return None, "wait"
        if (jobs / shares if to > shares else shares / to) < HYSTERESIS:
            return None, "hysteresis"
        return to, "divided"

    def hand_out(self, held, waiting):
        """Divides the free nodes among waiting jobs, and resizes nobody."""
        free, do = NODES - sum(held.values()), {}
        n = min(len(waiting), free // UNIT, max(0, CAP - len(held)))
        for i in range(n):
            left = n - i
            nodes = max(UNIT, min((free // UNIT + left - 1) // left * UNIT, -(-(NODES // UNIT) // FLOOR) * UNIT))
            do[waiting[i]] = nodes
            free -= nodes
        if do and free < UNIT:
            self.shares = len(held) + len(do)
        return do{{end}}
