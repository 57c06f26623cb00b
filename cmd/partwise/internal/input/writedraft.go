package input

import (
	"io"
	"path/filepath"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/validate/study"
)

// WriteDraft writes the draft of a model as a model file, which says what is fitted and what is a guess. The distributions are
// fitted to log whenever the file is read; without a log the file has the fitted numbers. file is the name of the model file,
// which names the log as it lies from there; "" is standard output.
func WriteDraft(w io.Writer, d *study.Draft, title, file, log string) error {
	m := &modelfile.Model{Title: title, TimeUnit: measure.Second(), System: d.System}
	return modelfile.WriteFitted(w, m, originsOf(d, seenFrom(file, log)))
}

// seenFrom returns the name of a log as it lies from the folder of a file, with slashes. "" stays "".
func seenFrom(file, log string) string {
	if file != "" && log != "" && !filepath.IsAbs(log) {
		if near, err := filepath.Rel(filepath.Dir(file), log); err == nil {
			log = near
		}
	}
	return filepath.ToSlash(log)
}

// originsOf returns what the distributions of a draft were fitted to, and the remarks on its guesses.
func originsOf(d *study.Draft, log string) modelfile.Origins {
	o := modelfile.Origins{Remarks: modelfile.RemarksOfLog(log, d.System, d.LoggedLoad())}
	if log == "" {
		return o
	}
	o.Arrivals = fittedTo(&d.Arrivals, log)
	for k := range d.Demands {
		o.Demands = append(o.Demands, fittedTo(&d.Demands[k], log))
	}
	return o
}

// fittedTo returns what a distribution was fitted to, as a model file says it, so that a reader of the file can fit it
// again.
func fittedTo(f *study.Fit, log string) *modelfile.FittedTo {
	return &modelfile.FittedTo{File: log, Quantity: f.Quantity, Sizes: f.Sizes, Resolution: f.Resolution, Phases: f.Phases}
}
