package joblog

import "github.com/partwise/partwise/models/workload/internal/filekind"

// helios is the format of the traces of Helios.
var helios = format{
	name:    "helios",
	summary: "`cluster_log.csv` of the traces of Helios (Hu et al., SC 2021)",
	sizes:   [...]string{"node_num", "cpu_num", "gpu_num"},
	recognise: func(b *filekind.Beginning) bool {
		return len(b.Text) > 0 && !b.IsJSON() && isTable(b.Line, heliosColumns)
	},
	read: stored(heliosColumns, (*store).readTable),
}

// heliosColumns are the columns of the traces of Helios; duration is in seconds.
//
// Reference: Q. Hu, P. Sun, S. Yan, Y. Wen, T. Zhang, Characterization and prediction of deep learning workloads in
// large-scale GPU datacenters, SC 2021.
var heliosColumns = &layout{state: parseState, columns: "job_id, submit_time, start_time, end_time, duration, node_num, gpu_num, …", roles: map[string]role{
	"job_id": jobID, "user": user, "vc": queue, "gpu_num": allocGPUs, "cpu_num": allocCPUs, "node_num": allocNodes,
	"state": stateName, "submit_time": submitTime, "start_time": startTime, "end_time": endTime, "duration": elapsedRaw,
}}
