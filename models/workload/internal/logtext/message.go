package logtext

// message matches the beginning of a message, such as sacct: error: slurm_persist_conn_open: failed, and a prompt of a shell, such as
// [u@login ~]$ sacct. Only the name of a folder may stand before the sign of a prompt, because a row may begin with an e-mail
// address. The pattern also matches Excel's line sep=; and the lines around the rows of a table, such as -----+----- and (20
// rows). It matches the names of files that head and tail write, such as ==> january.txt <==.
var message = NewPattern(`^\s*(#|sacct: |slurm\w*: |([\w./-]+: )*(?i:error|warning|fatal|info|debug\d?): |\$ |` +
	`[\[(]?[\w-]+@[\w.-]+[ :][^|,;\s]* ?[$#%>]( |$)|sep=.\s*$|[-=+|: ]*[-=]{3}[-=+|: ]*$|\(\d+ rows?\)\s*$|==> .* <==\s*$)`)

// IsMessage reports whether a line is a comment or a message that commands of batch systems, shells, databases and people put
// among the rows of a table. A line that begins with a digit is a row.
func IsMessage(line []byte) bool {
	if len(line) == 0 || line[0] >= '0' && line[0] <= '9' {
		return false
	}
	return message().Match(line)
}
