package input

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/validate/sched"
)

// WindowFlag binds --start-window. The rule holds after [Assuming.KeepWindow].
func (a *Assuming) WindowFlag() cli.Flag {
	return resizing(cli.Value(&a.rule, "start-window", sched.ParseStartRule, cli.About{
		Usage: "let jobs start under easy and easy-malleable only if their limits end before the next time of the `RULE`: days and " +
			"times, perhaps the limit up to which jobs are bound (up to 15h), and the clock (in Europe/Berlin)",
		Hint: "for example --start-window 'weekdays 8:00,17:00'"})).Referred()[0]
}

// KeepWindow puts the rule of --start-window on the clock of a log.
func (a *Assuming) KeepWindow(log *Selection) error {
	if a.rule.String() == "" {
		return nil
	}
	h := &log.Header
	if !h.Dated() {
		return fault.Usagef("leave --start-window out, or write the begin into the header of the log: ; UnixStartTime: 843480031",
			"--start-window: %s does not say when it begins, so its jobs start at no time of the day", log.Name)
	}
	a.StartWindow = a.rule.On(h.UnixStartTime, h.Location())
	return nil
}
