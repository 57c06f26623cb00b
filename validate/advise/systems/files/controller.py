#!/usr/bin/env python3
{{if .Malleable}}{{template "about malleable" .}}{{else}}{{template "about rule" .}}{{end}}
import argparse
import copy
import http.server
import json
import subprocess
import sys
import threading
import time

{{if .Malleable}}{{template "machine of malleable" .}}{{else}}{{template "machine of rule" .}}{{end}}


def even(sizes, units):
    """Divides units evenly among jobs that have sizes, and changes as few of them as can be: the last shrink first."""
    small, large = divmod(units, len(sizes))  # so many jobs have one unit more
    smaller, result = len(sizes) - large, [None] * len(sizes)
    for k, n in enumerate(sizes):
        if n == small + 1 and large:
            result[k], large = n, large - 1
    for k in reversed(range(len(sizes))):
        if sizes[k] == small and smaller:
            result[k], smaller = small, smaller - 1
    for k, n in enumerate(result):
        if n is None:
            result[k], large = (small + 1, large - 1) if large else (small, 0)
    return result


{{if .Malleable}}{{template "malleable" .}}{{else}}{{template "rule" .}}{{end}}


def run(*words):
    """Runs a command and returns what it prints."""
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout


{{if .Malleable}}{{template "times of Slurm" .}}{{end}}class Slurm:
    def __init__(self, options):
        self.name, self.grace = options.name, options.grace

{{if .Malleable}}{{template "queue of malleable" .}}{{else}}    def queue(self):
        rows = []
        for line in run("squeue", "--noheader", "--partition=" + self.name, "--states=PD,CF,R,S", "--sort=V,i",
                        "--format=%i|%t|%r|%D|%S").splitlines():
            job, state, reason, nodes, start = line.strip().split("|")
            held = state == "PD" and "held" in reason.lower()  # who was released runs, or is about to
            rows.append((job, "waiting" if held else "running", 0 if held else int(nodes), start))
        return rows{{end}}

    def resize(self, held, do):
        """Shrinks jobs first: others get their nodes."""
        grow = [job for job in do if held.get(job, NODES + 1) < do[job]]
        for job in do:
            if held.get(job, 0) > do[job]:
                run("scontrol", "update", "JobId=" + job, f"NumNodes={do[job]}")
        for job in grow:
            run("scancel", "--batch", "--signal=USR1", job)
        if grow:
            time.sleep(self.grace)
        for job in grow:
            run("scontrol", "requeuehold", job)
        for job in do:
            if job in grow or job not in held:
                for _ in range(600):  # seconds, in which its processes end
                    if run("squeue", "--noheader", "--format=%t", "--jobs=" + job).strip() == "PD":
                        break
                    time.sleep(1)
                run("scontrol", "update", "JobId=" + job, f"NumNodes={do[job]}-{do[job]}")
                run("scontrol", "release", job)


{{if not .Malleable}}class Kubernetes:
    """Jobs of a kind: where they say their nodes and that they are suspended, and what starts one."""

    def __init__(self, options, kind, nodes, suspend, start):
        self.name, self.kind, self.nodes, self.suspend, self.start = options.name, kind, nodes, suspend, start

    def queue(self):
        found = json.loads(run("kubectl", "get", self.kind, "--selector=partwise=" + self.name, "--output=json"))
        rows = []
        for job in sorted(found["items"], key=lambda job: job["metadata"]["creationTimestamp"]):
            conditions = job.get("status", {}).get("conditions") or []
            if any(c["type"] in ("Complete", "Succeeded", "Failed") and c["status"] == "True" for c in conditions):
                continue
            waits = at(job["spec"], self.suspend) and "kueue.x-k8s.io/queue-name" not in job["metadata"].get("labels", {})
            nodes = 0 if waits else at(job["spec"], self.nodes)
            begun = job.get("status", {}).get("startTime") or job["metadata"]["creationTimestamp"]
            rows.append((job["metadata"]["name"], "waiting" if waits else "running", nodes, begun))
        return rows

    def resize(self, held, do):
        for job in sorted(do, key=lambda job: do[job] - held.get(job, 0)):  # those that shrink first
            patch = nested({}, ("spec",) + self.nodes, do[job])
            if job not in held:
                nested(patch, self.start[0], self.start[1])
            run("kubectl", "patch", self.kind, job, "--type=merge", "--patch=" + json.dumps(patch))


def at(value, path):
    """Returns what stands at a path of an object."""
    for name in path:
        value = value.get(name, {})
    return value


def nested(value, path, leaf):
    """Sets what stands at a path of an object, and returns the object."""
    inner = value
    for name in path[:-1]:
        inner = inner.setdefault(name, {})
    inner[path[-1]] = leaf
    return value


{{end}}class Metrics:
    """What autoscalers read, in the text format of Prometheus: the nodes that the rule gives each job."""

    def __init__(self):
        self.wanted, self.text = {}, ""

    def update(self, queue, do):
        """Takes a decision: a job that it does not name keeps the nodes that it was given before, or that it has."""
        self.wanted = {job: do.get(job, self.wanted.get(job, nodes)) for job, _, nodes, *_ in queue}
        waiting = sum(state == "waiting" for _, state, *_ in queue)
        lines = ["# HELP wanted_nodes Nodes that the rule gives the job.", "# TYPE wanted_nodes gauge"]
        lines += ['wanted_nodes{name="%s"} %d' % (escaped(job), nodes) for job, nodes in self.wanted.items()]
        lines += ["# HELP waiting_jobs Jobs that wait.", "# TYPE waiting_jobs gauge", f"waiting_jobs {waiting}"]
        self.text = "\n".join(lines) + "\n"

    def serve(self, port):
        """Answers GET /metrics on the port, beside the polls."""
        metrics = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                found = self.path.split("?")[0] == "/metrics"
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.end_headers()
                self.wfile.write((metrics.text if found else "the metrics are at /metrics\n").encode())

            def log_message(self, *_):
                """Says nothing of each request."""

        try:
            server = http.server.ThreadingHTTPServer(("", port), Handler)
        except OSError as error:
            sys.exit(f"--serve {port}: {error}")
        threading.Thread(target=server.serve_forever, daemon=True).start()


def escaped(label):
    """Returns the value of a label as Prometheus reads it."""
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def system(options):
{{if .Malleable}}    return Slurm(options)
{{else}}    if options.system == "slurm":
        return Slurm(options)
    if options.system == "kueue":
        return Kubernetes(options, "jobs.batch", ("parallelism",), ("suspend",),
                          (("metadata", "labels", "kueue.x-k8s.io/queue-name"), options.name))
    return Kubernetes(options, "pytorchjobs.kubeflow.org", ("pytorchReplicaSpecs", "Worker", "replicas"),
                      ("runPolicy", "suspend"), (("spec", "runPolicy", "suspend"), False))
{{end}}

def recorded(name):
    """Yields the time and the queue of every poll of a recorded queue."""
    try:
        with open(name) as file:
            lines = file.readlines()
    except OSError as error:
        sys.exit(str(error))
    for number, line in enumerate(lines, 1):
        try:
            poll = json.loads(line)
{{if .Malleable}}            now, queue = poll["now"] + 0, [(job, state, int(nodes), start, int(least), int(most), until + 0)
                                           for job, state, nodes, start, least, most, until in poll["queue"]]
{{else}}            now, queue = poll["now"] + 0, [(job, state, int(nodes), start) for job, state, nodes, start in poll["queue"]]
{{end}}        except (ValueError, KeyError, TypeError) as error:
            sys.exit(f"{name}:{number}: not a poll such as controller.py --help shows: {error!r}")
        yield now, queue


def polls(options, batch):
    """Yields the time and the queue of every poll."""
    if options.replay:
        yield from recorded(options.replay)
        return
    while True:
        try:
            queue = batch.queue()
        except FileNotFoundError as error:
            sys.exit(f"there is no program {error.filename} here: run controller.py where the commands of {options.system} are, "
                     "or on a recorded queue with --replay")
        except (OSError, subprocess.SubprocessError) as error:  # the system may be restarting: ask again at the next poll
            print(error, file=sys.stderr)
            if options.once:
                sys.exit(1)
        else:
            yield time.time(), queue
        if options.once:
            return
        time.sleep(options.poll)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=[{{if .Malleable}}"slurm"{{else}}"slurm", "kueue", "kubeflow"{{end}}], default="slurm")
    parser.add_argument("--name", default="{{if .Malleable}}{{.Malleable.Partition}}{{else}}elastic{{end}}", help="of the partition, or of the label and the queue")
    parser.add_argument("--go", action="store_true", help="tell the system; otherwise nothing is changed")
    parser.add_argument("--poll", type=float, default={{.Poll}}, help="seconds between polls")
    parser.add_argument("--grace", type=float, default=60, help="seconds that a checkpoint takes")
    parser.add_argument("--once", action="store_true", help="end after one poll")
    parser.add_argument("--replay", metavar="FILE", help="decide on a recorded queue; implies a dry run")
    parser.add_argument("--serve", metavar="PORT", type=int, help="offer wanted_nodes to Prometheus on this port")
    parser.add_argument("--log", metavar="FILE", help="append the log to a file; default: standard output")
    options = parser.parse_args()
    batch, rule, go = system(options), Rule(), options.go and not options.replay
    log = open(options.log, "a") if options.log else sys.stdout
    metrics = Metrics()
    if options.serve is not None:
        metrics.serve(options.serve)
    for now, queue in polls(options, batch):
        before = copy.deepcopy(rule)
        do, why = rule.decide(now, queue)
        entry = {"now": now, "jobs": len(queue), "shares": rule.shares, "why": why, "do": do, "dry_run": not go}
        print(json.dumps(entry), file=log, flush=True)
        metrics.update(queue, do)
        if go and do:
            try:
                held = {job: nodes for job, state, nodes, *_ in queue if state == "running"}
                batch.resize(held, {{if .Malleable}}{job: nodes for job, nodes in do.items() if job in held}{{else}}do{{end}})
            except (OSError, subprocess.SubprocessError) as error:
                print(error, file=sys.stderr)
                rule = before  # the next poll decides again, on what became of it


if __name__ == "__main__":
    main()
