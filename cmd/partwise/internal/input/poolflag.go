package input

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/validate/study"
)

// Pool binds --pool to a pooling, which holds without the flag. otherwise says what holds where the pooling is "".
func Pool(to *study.Pooling, otherwise string) cli.Flag {
	return cli.Choice(to, "pool", "unknown pool", study.Poolings(), cli.About{Default: otherwise,
		Usage: "let jobs share the nodes of the `POOL`: machine, or partition, each partition with nodes of its own"})
}

// SelectPools selects a log as [LogOptions.Select] does, and divides its nodes into pools as p says. It also sets the rule of
// --start-window to the clock of the log.
func (o *LogOptions) SelectPools(inv *cli.Invocation, path string, p study.Pooling, a *Assuming) (*Selection, error) {
	if p == study.Partitions {
		o.NameNodes()
	}
	log, err := o.Select(inv, path)
	if err != nil {
		return nil, err
	}
	if log, err = log.In(p); err != nil {
		return nil, err
	}
	return log, a.KeepWindow(log)
}

// In returns the selection with the nodes divided as a pooling says; "" is one machine.
func (l *Selection) In(p study.Pooling) (*Selection, error) {
	if p != study.Partitions {
		return l, nil
	}
	in, err := l.Log.InPools()
	if err != nil {
		return nil, Misfit(err)
	}
	divided := *l
	divided.Log = in
	return &divided, nil
}
