"""Dynamic equi-partitioning, as an algorithm for the Python interface of ElastiSim.

Of n jobs that share P nodes each is to have P // n nodes or one more, and an arrival or a departure changes as few of
them as can be. With P jobs in the system, others wait first come, first served. A running job takes over what was
decided at a scheduling point of its own: there it leaves nodes, or grows if all that it is to have are free and no job
waits for nodes to start on. Jobs start in their order, each as soon as its nodes are free.
"""

from elastisim_python import InvocationType, JobState, NodeState, pass_algorithm

decided = {}  # the nodes that each job is to have, in the order in which they were let in
waiting = []  # jobs that came when each node had one


def divide(nodes):
    """Divides the nodes evenly; the first jobs grow first and the last shrink first."""
    if not decided:
        return
    small, large = divmod(nodes, len(decided))  # so many jobs have one more
    smalls = len(decided) - large
    kept = set()
    for job, size in decided.items():
        if size == small + 1 and large > 0:
            kept.add(job)
            large -= 1
    for job, size in reversed(decided.items()):
        if size == small and smalls > 0:
            kept.add(job)
            smalls -= 1
    for job in decided:
        if job not in kept:
            decided[job] = small + 1 if large > 0 else small
            large -= 1


def decide(kind, job, nodes):
    """Decides at arrivals and departures how many nodes each job is to have."""
    if kind == InvocationType.INVOKE_JOB_SUBMIT:
        waiting.append(job.identifier)
        if len(decided) < nodes:
            decided[waiting.pop(0)] = 0
            divide(nodes)
    elif kind in (InvocationType.INVOKE_JOB_COMPLETED, InvocationType.INVOKE_JOB_KILLED):
        left = decided.pop(job.identifier)
        if waiting:
            decided[waiting.pop(0)] = left
        else:
            divide(nodes)


def schedule(jobs, nodes, system):
    kind, job = system['invocation_type'], system.get('job')
    decide(kind, job, len(nodes))
    free = [node for node in nodes if node.state == NodeState.FREE]
    starting = [jobs[k] for k in decided if jobs[k].state == JobState.PENDING]
    if kind == InvocationType.INVOKE_SCHEDULING_POINT:
        more = decided[job.identifier] - len(job.assigned_nodes)
        if more < 0:
            left = job.assigned_nodes[more:]
            job.remove(left)
            free += left  # ElastiSim resizes this job before it starts others
        elif 0 < more <= len(free) and not starting:
            job.assign(free[:more])
            free = free[more:]
    for job in starting:
        size = decided[job.identifier]
        if size > len(free):
            break
        job.assign(free[:size])
        free = free[size:]


if __name__ == '__main__':
    pass_algorithm(schedule, 'ipc://elastisim.ipc')
