package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/partwise/partwise/markov/parallel"
)

// format is the version of the format of journals; it grows when programs can no longer read older journals.
const format = 1

// mostPoints bounds the points of a sweep.
const mostPoints = 100_000_000

// Record is what is known of a point: its value, a valid JSON text, or why it failed.
type Record struct {
	Point   int             `json:"point"`
	Value   json.RawMessage `json:"value,omitempty"`
	Error   string          `json:"error,omitempty"`
	ShortOf string          `json:"short_of,omitempty"` // what a point takes too much of: "memory" or "time"; "" for another failure
	Enough  float64         `json:"enough,omitempty"`   // bytes of memory that are enough for the point; 0: not known, or not short of memory
}

// header is the first line of a journal.
type header struct {
	Format int `json:"partwise_journal"`
	Plan
}

// line is a line of a journal. The checksum shows whether the line was written as a whole.
type line struct {
	Sum  string          `json:"crc32"`
	Body json.RawMessage `json:"body"`
}

// encode returns the line of a journal that holds a body: JSON with a checksum, and the end of the line.
func encode(body any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(body)
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return fmt.Appendf(nil, `{"crc32":"%s","body":%s}`+"\n", checksum(text), text), err
}

// checksum returns the checksum of a line, by which a damaged line is found.
func checksum(text []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)) }

// decode reads the body of a line into body. It returns false if the line was not written as a whole: its checksum is wrong.
func decode(text []byte, body any) bool {
	var l line
	if json.Unmarshal(text, &l) != nil || l.Sum != checksum(l.Body) {
		return false
	}
	return json.Unmarshal(l.Body, body) == nil
}

// Contents is what a journal says.
type Contents struct {
	File    string
	Plan    Plan
	Records map[int]Record // by point; the last record of a point that was tried again

	size int64 // of the whole lines
}

// DamageError says that a file is no journal, or one that was changed.
type DamageError struct {
	File    string
	Line    int
	Problem string
}

// Error says which line of which file is damaged, and how.
func (e *DamageError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem) }

// ReadJournal reads the journal path, without a last line that is torn. The error is a [*DamageError], or an error of the operating
// system.
func ReadJournal(path string) (*Contents, error) {
	data, err := readRegular(path)
	if err != nil {
		return nil, err
	}
	c, err := parse(path, data)
	if err == nil && c.size == 0 {
		return nil, noSweep(path)
	}
	return c, err
}

// readRegular returns the bytes of a regular file. It does not open a pipe, which may keep silent, or a device, which may
// have no end.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &DamageError{path, 1, "is not a regular file"}
	}
	return os.ReadFile(path)
}

// parse returns the contents of a journal. They are empty if the process ended before the header was written.
func parse(path string, data []byte) (*Contents, error) {
	c := &Contents{File: path, Records: make(map[int]Record)}
	number := 1
	for ; ; number++ {
		text, _, whole := bytes.Cut(data[c.size:], []byte("\n"))
		if !whole || !c.read(number, text) {
			break
		}
		c.size += int64(len(text)) + 1
	}
	rest, start := data[c.size:], []byte(`{"crc32":`)
	// A process that is killed leaves no more than one line that is not whole.
	damaged := bytes.Count(rest, []byte("\n")) > 1
	switch {
	case damaged && number > 1:
		return nil, &DamageError{path, number, "is damaged"}
	case damaged || number == 1 && !bytes.HasPrefix(start, rest[:min(len(rest), len(start))]):
		return nil, noSweep(path)
	}
	return c, nil
}

// noSweep returns the error of a file that is no journal.
func noSweep(path string) error { return &DamageError{path, 1, "is not the file of a sweep"} }

// read takes a line of the journal, by its number from 1: the header with the plan, or a record. It returns false if the
// line is damaged or not of such a journal.
func (c *Contents) read(number int, text []byte) bool {
	if number == 1 {
		var h header
		if !decode(text, &h) || h.Format != format || h.Points < 0 || h.Points > mostPoints {
			return false
		}
		c.Plan = h.Plan
		return true
	}
	var r Record
	if !decode(text, &r) || r.Point < 0 || r.Point >= c.Plan.Points || len(r.Value) == 0 && r.Error == "" {
		return false
	}
	if old, ok := c.Records[r.Point]; ok && old.Error == "" && !bytes.Equal(old.Value, r.Value) {
		return false // a point that is solved is not solved again
	}
	c.Records[r.Point] = r
	return true
}

// Done returns the number of points that have a value; a point that failed has none.
func (c *Contents) Done() int {
	n := 0
	for _, r := range c.Records {
		if r.Error == "" {
			n++
		}
	}
	return n
}

// Missing returns the points of the plan's shard that have no value, ascending.
func (c *Contents) Missing() []int {
	var missing []int
	for i := range c.Plan.Points {
		if r, ok := c.Records[i]; c.Plan.Shard.Holds(i) && (!ok || r.Error != "") {
			missing = append(missing, i)
		}
	}
	return missing
}

// IsComplete reports whether a file is the journal of the shard of a plan and has a value of every point. The error is a
// [*DamageError] or a [*ChangedError] if the file is another one, which must not be replaced.
func IsComplete(path string, plan Plan) (bool, error) {
	c, err := ReadJournal(path)
	var damage *DamageError
	switch {
	case errors.As(err, &damage):
		return false, err
	case err != nil:
		return false, nil // the shard is not finished
	}
	if err := changed(path, c.Plan.Configuration, plan.Configuration); err != nil {
		return false, err
	}
	return c.Plan.Shard == plan.Shard && len(c.Missing()) == 0, nil
}

// Journal is a file to which the records of a sweep are added. Append may be called by several goroutines. A nil Journal
// keeps nothing.
type Journal struct {
	Contents // when the journal was opened

	fresh bool // the file was empty
	mu    sync.Mutex
	file  *os.File // nil once the journal is closed
	end   int64    // of the last whole line
	added bool
	timer *time.Timer // of the next sync; nil if all records are on the disk
	err   error       // the error that ended the journal
}

// syncEvery is the time between two syncs, each of which brings all new records to the disk. A sync takes milliseconds, in
// which nobody can write to the file; a point often takes less. Records in the file outlive the process without a sync; a
// loss of power loses the records since the last sync.
const syncEvery = 500 * time.Millisecond

// ExistsError says that a file is the journal of a run that did not come to its end.
type ExistsError struct {
	File         string
	Done, Points int
}

// Error says how many points the unfinished run has kept.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s holds %d of %d points of a run that did not come to its end", e.File, e.Done, e.Points)
}

// OpenJournal opens the journal path for a plan, or begins the journal if there is no such file. A journal with records is continued
// if resume is set; otherwise the error is an [*ExistsError]. The error is a [*ChangedError] if the journal has another plan,
// and a [*DamageError] if the journal cannot be read. It is [parallel.ErrFileBusy] if another process has the file open.
func OpenJournal(path string, plan Plan, resume bool) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: f}
	if err := j.open(path, plan, resume); err != nil {
		if j.fresh { // and without a header: nothing is lost with it
			err = errors.Join(err, os.Remove(path))
		}
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// open locks the open file, and reads it. A file without records gets the header of the plan. If resume is set, a journal of
// the same plan is continued behind its last whole line.
func (j *Journal) open(path string, plan Plan, resume bool) error {
	if err := parallel.LockFile(j.file); errors.Is(err, parallel.ErrFileBusy) {
		return err
	}
	if !j.isAt(path) { // another process renamed or removed the file before this process had the lock
		return parallel.ErrFileBusy
	}
	data, err := readRegular(path)
	if err != nil {
		return err
	}
	j.fresh = len(data) == 0
	found, err := parse(path, data)
	switch {
	case err != nil:
		return err
	case len(found.Records) == 0:
		return j.begin(path, plan)
	case !resume:
		return &ExistsError{path, found.Done(), len((&Contents{Plan: found.Plan}).Missing())}
	}
	if err := changed(path, found.Plan.identity(), plan.identity()); err != nil {
		return err
	}
	j.Contents = *found
	j.end = found.size
	return j.truncate()
}

// isAt reports whether the open file is the one that path names now: another process may have renamed or removed it.
func (j *Journal) isAt(path string) bool {
	mine, err := j.file.Stat()
	there, errThere := os.Stat(path)
	return err == nil && errThere == nil && os.SameFile(mine, there)
}

// identity returns the settings that must be the same for a journal to be continued.
func (p Plan) identity() []Setting {
	if p.Shard.Count == 0 {
		return p.Configuration
	}
	return append(slices.Clip(p.Configuration), Setting{"--shard", p.Shard.String()})
}

// begin writes the header with the plan to an empty file, and brings file and name to the disk.
func (j *Journal) begin(path string, plan Plan) error {
	j.Contents = Contents{File: path, Plan: plan, Records: make(map[int]Record)}
	if err := j.truncate(); err != nil {
		return err
	}
	if err := j.write(header{format, plan}); err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	return syncDirectory(path)
}

// truncate cuts off what stands behind the last whole line of the file, such as a torn line, and goes on writing there.
func (j *Journal) truncate() error {
	if err := j.file.Truncate(j.end); err != nil {
		return err
	}
	_, err := j.file.Seek(j.end, io.SeekStart)
	return err
}

// write adds a body as a line to the file, in one piece, so that no other line can come between. The half of a line that
// could not be written is cut off again.
func (j *Journal) write(body any) error {
	text, err := encode(body)
	if err != nil {
		return err
	}
	n, err := j.file.Write(text)
	if err != nil {
		if n > 0 { // leave no half of a line; if that fails too, the checksum shows the half
			err = errors.Join(err, j.truncate())
		}
		return err
	}
	j.end += int64(n)
	return nil
}

// Append adds a record. When Append returns, the record is in the file and outlives the process. Within half a second it is on
// the disk and outlives a loss of power. After an Append or a sync that failed, every Append fails.
func (j *Journal) Append(r Record) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.added, j.err = true, j.write(r)
	}
	if j.timer == nil {
		j.timer = time.AfterFunc(syncEvery, j.sync)
	}
	return j.err
}

// sync brings all records to the disk; an error is kept for the next Append. It runs by a timer, at most twice a second.
func (j *Journal) sync() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.timer = nil; j.file != nil {
		j.err = errors.Join(j.err, j.file.Sync())
	}
}

// finish closes the file, once. Before, it brings the records to the disk if they are kept and, unless the journal failed,
// renames or removes the file by do. The file is closed last, so that nobody can lock it under the old name in between.
// Where there are no locks the file is closed first: some of these systems rename no open files.
func (j *Journal) finish(kept bool, do func() error) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.file
	j.file = nil
	if f == nil {
		return nil
	}
	if kept {
		j.err = errors.Join(j.err, f.Sync())
	}
	switch {
	case j.err != nil:
		return errors.Join(j.err, f.Close())
	case !parallel.FileLocks:
		return errors.Join(f.Close(), do())
	}
	return errors.Join(do(), f.Close())
}

// Close brings the records to the disk and ends the journal. A second Close does nothing.
func (j *Journal) Close() error { return j.finish(true, func() error { return nil }) }

// Abandon closes the journal after an error of the whole sweep, and removes a journal without records.
func (j *Journal) Abandon() {
	if j == nil || j.added || len(j.Records) > 0 {
		_ = j.Close() // the error of the sweep is being told
		return
	}
	_ = j.finish(false, func() error { return os.Remove(j.File) })
}

// Rename closes a complete journal and gives its file the name path.
func (j *Journal) Rename(path string) error {
	if err := j.finish(true, func() error { return os.Rename(j.File, path) }); err != nil {
		return err
	}
	return syncDirectory(path)
}

// Remove ends and removes the journal of a sweep. Before, it brings the name of the result, which lies in the same folder, to
// the disk.
func (j *Journal) Remove() error {
	return j.finish(false, func() error {
		return errors.Join(syncDirectory(j.File), os.Remove(j.File))
	})
}

// syncDirectory brings the names in the folder of path to the disk, where the file system can.
func syncDirectory(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil // a directory that can be written to but not read
	}
	defer dir.Close()
	_ = dir.Sync() // not every file system knows how
	return nil
}
