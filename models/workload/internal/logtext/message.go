package logtext

// message matches the beginning of a message, such as sacct: error: slurm_persist_conn_open: failed.
var message = NewPattern(`^\s*(#|sacct: |slurm\w*: |([\w./-]+: )*(?i:error|warning|fatal|info|debug\d?): )`)

// IsMessage reports whether a line is a comment or a message that commands of batch systems, shells and people put among the rows of a
// table. A line that begins with a digit is a row.
func IsMessage(line []byte) bool {
	if len(line) == 0 || line[0] >= '0' && line[0] <= '9' {
		return false
	}
	return message().Match(line)
}
