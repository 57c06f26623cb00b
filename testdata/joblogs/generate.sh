#!/bin/sh
# Makes up 60 jobs of a week of March 2024 and writes them into DIR as batch systems and traces would: generate.sh [DIR]
set -eu
dir=${1:-$(dirname "$0")}
awk -v dir="$dir" '
function draw(n) { x = (x * 16807) % 2147483647; return x % n } # Park and Miller (1988)
function stamp(t, separator) {
	return sprintf("2024-03-%02d%s%02d:%02d:%02d", 4 + int(t / 86400), separator, int(t / 3600) % 24, int(t / 60) % 60, t % 60)
}
function clock(t) { return (t >= 86400 ? int(t / 86400) "-" : "") sprintf("%02d:%02d:%02d", int(t / 3600) % 24, int(t / 60) % 60, t % 60) }
BEGIN {
	x = 2024; zero = 1709510400 # 2024-03-04 00:00:00 UTC
	sacct = dir "/sacct.txt"; json = dir "/sacct.json"; pbs = dir "/pbs.txt"
	helios = dir "/helios.csv"; philly = dir "/philly.json"; elastisim = dir "/elastisim.json"
	kueue = dir "/kueue.json"; jobs = dir "/kube-jobs.json"
	print "JobID|User|Partition|Submit|Start|End|Elapsed|AllocNodes|AllocTRES|State|Timelimit" > sacct
	print "{\"jobs\": [" > json
	print "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue" > helios
	print "[" > philly
	print "{\"jobs\": [" > elastisim
	print "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [" > kueue
	print "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [" > jobs
	for (i = 1; i <= 60; i++) {
		submit += draw(60) < 40 ? draw(3600) : draw(30000)
		start = submit + (draw(3) ? draw(1800) : 0)
		run = draw(4) ? 60 + draw(14400) : 3600 + draw(100000)
		end = start + run
		nodes = 2 ^ draw(5); user = "user" draw(6); state = draw(10); comma = i < 60 ? "," : ""
		limit = (1 + int(run / 3600) + draw(4)) * 3600
		slurm = state < 7 ? "COMPLETED" : state < 9 ? "FAILED" : "CANCELLED by 1000"
		word = state < 9 ? slurm : "CANCELLED"
		printf "%d|%s|batch|%s|%s|%s|%s|%d|cpu=%d,gres/gpu=%d,node=%d|%s|%s\n", i, user, stamp(submit, "T"), stamp(start, "T"),
			stamp(end, "T"), clock(run), nodes, 8 * nodes, 4 * nodes, nodes, slurm, clock(limit) > sacct
		printf "%d.batch|||%s|%s|%s|%s|1|cpu=8,node=1|COMPLETED|\n", i, stamp(start, "T"), stamp(start, "T"), stamp(end, "T"),
			clock(run) > sacct
		printf " {\"job_id\": %d, \"user\": \"%s\", \"partition\": \"batch\", \"allocation_nodes\": %d, \"state\": {\"current\": [\"%s\"]},\n", i, user, nodes, word > json
		printf "  \"time\": {\"submission\": %d, \"start\": %d, \"end\": %d, \"elapsed\": %d, \"limit\": {\"set\": true, \"infinite\": false, \"number\": %d}},\n", zero + submit, zero + start, zero + end, run, limit / 60 > json
		printf "  \"tres\": {\"allocated\": [{\"type\": \"node\", \"name\": \"\", \"count\": %d}, {\"type\": \"gres\", \"name\": \"gpu\", \"count\": %d}]}}%s\n", nodes, 4 * nodes, comma > json
		hosts = ""
		for (k = 1; k <= nodes; k++) hosts = hosts (k > 1 ? "+" : "") "n" k "/0-7"
		date = stamp(end, " "); date = substr(date, 6, 2) "/" substr(date, 9, 2) "/2024" substr(date, 11)
		printf "%s;E;%d.server;user=%s group=staff queue=batch ctime=%d qtime=%d etime=%d start=%d exec_host=%s Resource_List.nodes=%d:ppn=8:gpus=4 Resource_List.walltime=%02d:00:00 end=%d Exit_status=%d resources_used.walltime=%02d:%02d:%02d\n",
			date, i, user, zero + submit, zero + submit, zero + submit, zero + start, hosts, nodes, limit / 3600, zero + end,
			(state < 7 ? 0 : state < 9 ? 1 : 271), int(run / 3600), int(run / 60) % 60, run % 60 > pbs
		printf "%d,%s,vc1,%d,%d,%d,%s,%s,%s,%s,%d,%d\n", i, user, 4 * nodes, 8 * nodes, nodes, word, stamp(submit, " "), stamp(start, " "), stamp(end, " "), run, start - submit > helios
		printf " {\"status\": \"%s\", \"vc\": \"vc1\", \"jobid\": \"application_%d\", \"user\": \"%s\", \"submitted_time\": \"%s\",\n", (state < 7 ? "Pass" : state < 9 ? "Failed" : "Killed"), i, user, stamp(submit, " ") > philly
		printf "  \"attempts\": [{\"start_time\": \"%s\", \"end_time\": \"%s\", \"detail\": [", stamp(start, " "), stamp(end, " ") > philly
		for (k = 1; k <= nodes; k++) printf "%s{\"ip\": \"m%d\", \"gpus\": [\"gpu0\", \"gpu1\", \"gpu2\", \"gpu3\"]}", (k > 1 ? ", " : ""), k > philly
		print "]}]}" comma > philly
		printf " {\"type\": \"rigid\", \"submit_time\": %d, \"num_nodes\": %d, \"walltime\": %d, \"application_model\": \"a.json\", \"arguments\": {\"run_time\": %d}}%s\n", submit, nodes, limit, run, comma > elastisim
		created = stamp(submit, "T") "Z"; admitted = stamp(start, "T") "Z"; finished = stamp(end, "T") "Z"
		metadata = sprintf("\"metadata\": {\"name\": \"job-%d\", \"namespace\": \"%s\", \"uid\": \"00000000-0000-0000-0000-%012d\", \"creationTimestamp\": \"%s\"}", i, user, i, created)
		pods = "{\"containers\": [{\"name\": \"main\", \"image\": \"train\", \"resources\": {\"requests\": {\"cpu\": \"8\"}, \"limits\": {\"nvidia.com/gpu\": \"4\"}}}], \"restartPolicy\": \"Never\"}"
		reason = state < 7 ? "Succeeded" : state < 9 ? "Failed" : "OutOfSync"
		printf " {\"apiVersion\": \"kueue.x-k8s.io/v1beta2\", \"kind\": \"Workload\", %s,\n", metadata > kueue
		printf "  \"spec\": {\"queueName\": \"team\", \"maximumExecutionTimeSeconds\": %d, \"podSets\": [{\"name\": \"main\", \"count\": %d, \"template\": {\"spec\": %s}}]},\n", limit, nodes, pods > kueue
		printf "  \"status\": {\"conditions\": [{\"type\": \"QuotaReserved\", \"status\": \"True\", \"reason\": \"QuotaReserved\", \"message\": \"\", \"lastTransitionTime\": \"%s\"},\n", admitted > kueue
		printf "   {\"type\": \"Admitted\", \"status\": \"True\", \"reason\": \"Admitted\", \"message\": \"\", \"lastTransitionTime\": \"%s\"},\n", admitted > kueue
		printf "   {\"type\": \"Finished\", \"status\": \"True\", \"reason\": \"%s\", \"message\": \"\", \"lastTransitionTime\": \"%s\"}],\n", reason, finished > kueue
		printf "   \"admission\": {\"clusterQueue\": \"batch\", \"podSetAssignments\": [{\"name\": \"main\", \"count\": %d, \"resourceUsage\": {\"cpu\": \"%d\", \"nvidia.com/gpu\": \"%d\"}}]}}}%s\n", nodes, 8 * nodes, 4 * nodes, comma > kueue
		printf " {\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", %s,\n", metadata > jobs
		printf "  \"spec\": {\"parallelism\": %d, \"activeDeadlineSeconds\": %d, \"template\": {\"spec\": %s}},\n", nodes, limit, pods > jobs
		printf "  \"status\": {\"startTime\": \"%s\", \"conditions\": [{\"type\": \"%s\", \"status\": \"True\", \"reason\": \"%s\", \"lastTransitionTime\": \"%s\"}]}}%s\n",
			admitted, (state < 7 ? "Complete" : "Failed"), (state < 7 ? "CompletionsReached" : "BackoffLimitExceeded"), finished, comma > jobs
	}
	print "]}" > kueue; print "]}" > jobs
	print "]}" > json; print "]" > philly; print "]}" > elastisim
	printf "61|user1|batch|%s|None|%s|00:00:00|0||CANCELLED by 1000|01:00:00\n", stamp(submit, "T"), stamp(submit, "T") > sacct
	printf "62|user1|batch|%s|%s|Unknown|00:20:00|4|cpu=32,gres/gpu=16,node=4|RUNNING|01:00:00\n", stamp(submit, "T"), stamp(submit, "T") > sacct
	printf "63|user1|batch|%s\n", stamp(submit, "T") > sacct
}'
