#!/bin/bash
#
# A Slurm cluster of this one machine, for trying job scripts: controller, node and authentication run as whoever calls
# it, with all their files beneath one directory. Nothing of a Slurm that is installed here is touched but its programs.
#
#   one-machine.sh start DIR    sets it up; then  export SLURM_CONF=DIR/slurm.conf  and use sbatch, squeue, ...
#   one-machine.sh stop DIR     ends it
#
# It takes slurmctld, slurmd, sbatch and munged: on Debian  apt-get install slurmctld slurmd slurm-client munge.

set -euo pipefail

dir=$(realpath -m "${2:?usage: one-machine.sh start|stop DIR}")
export SLURM_CONF=$dir/slurm.conf
PATH=$PATH:/usr/sbin

# free prints so many ports that nothing listens on.
free() {
	local port=$((20000 + RANDOM % 20000)) wanted=$1
	while [ "$wanted" -gt 0 ]; do
		port=$((port + 1))
		if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
			echo "$port"
			wanted=$((wanted - 1))
		fi
	done
}

start() {
	mkdir -p "$dir"/{state,spool,munge,log}
	chmod 700 "$dir/munge"
	head -c 128 /dev/urandom >"$dir/munge/key"
	chmod 600 "$dir/munge/key"
	# A path of a socket has to be short.
	socket=$(mktemp -d)/munge
	echo "$socket" >"$dir/munge/where"
	munged --force --key-file="$dir/munge/key" --socket="$socket" --pid-file="$dir/munge/pid" \
		--seed-file="$dir/munge/seed" --log-file="$dir/log/munged"

	mapfile -t ports < <(free 2)
	host=$(hostname -s)
	cpus=$(nproc)
	cat >"$SLURM_CONF" <<-CONF
		ClusterName=one
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		SlurmctldPort=${ports[0]}
		SlurmdPort=${ports[1]}
		AuthType=auth/munge
		AuthInfo=socket=$socket
		CredType=cred/munge
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmdPidFile=$dir/slurmd.pid
		SlurmctldLogFile=$dir/log/slurmctld
		SlurmdLogFile=$dir/log/slurmd
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1,requeue_delay=0
		ReturnToService=2
		MpiDefault=none
		SwitchType=switch/none
		KillWait=5
		NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	CONF
	slurmctld -c -i
	slurmd -c
	for _ in $(seq 100); do
		if [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]; then
			return
		fi
		sleep 0.1
	done
	echo "the node does not come up; see $dir/log" >&2
	tail -n 20 "$dir"/log/* >&2
	stop
	exit 1
}

stop() {
	for file in "$dir/slurmd.pid" "$dir/slurmctld.pid" "$dir/munge/pid"; do
		if [ -s "$file" ]; then
			kill "$(cat "$file")" 2>/dev/null || true
		fi
	done
	for _ in $(seq 50); do
		if ! [ -e "$dir/slurmd.pid" ] && ! [ -e "$dir/slurmctld.pid" ]; then
			break
		fi
		sleep 0.1
	done
	if [ -s "$dir/munge/where" ]; then
		socket=$(cat "$dir/munge/where")
		rm -f "$socket" "$socket.lock"
		rmdir "$(dirname "$socket")" 2>/dev/null || true
	fi
}

case $1 in
start | stop) "$1" ;;
*)
	echo "usage: one-machine.sh start|stop DIR" >&2
	exit 2
	;;
esac
