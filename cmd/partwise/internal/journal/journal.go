package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// format is that of journals; it grows when old ones can no longer be read.
const format = 1

// mostPoints bounds the points of a sweep.
const mostPoints = 100_000_000

// Record is what is known of a point: its value, a valid JSON text, or why it failed.
type Record struct {
	Point int             `json:"point"`
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

// header is the first line of a journal.
type header struct {
	Format int `json:"partwise_journal"`
	Plan
}

// line is a line of a journal; the sum tells a line that was written whole from one that was not.
type line struct {
	Sum  string          `json:"crc32"`
	Body json.RawMessage `json:"body"`
}

// encode returns a body as a line.
func encode(body any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(body)
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return fmt.Appendf(nil, `{"crc32":"%s","body":%s}`+"\n", checksum(text), text), err
}

func checksum(text []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)) }

// decode returns the body of a line, false if it is not what was written.
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
	Records map[int]Record // by point; of a point that was tried again the last

	size int64 // of what is good
}

// DamageError says that a file is no journal, or one that was changed.
type DamageError struct {
	File    string
	Line    int
	Problem string
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem) }

// errTorn: the process ended before the header was written.
var errTorn = errors.New("journal: a journal without a header")

// Read reads the journal path. A torn last line is left out. The error is a [*DamageError], or that of the operating
// system.
func Read(path string) (*Contents, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := parse(path, data)
	if errors.Is(err, errTorn) {
		return nil, noSweep(path)
	}
	return c, err
}

// checkRegular refuses what is no file of a sweep before it is read: a pipe, which may keep silent, and a device, which may
// have no end.
func checkRegular(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &DamageError{path, 1, "is not a regular file"}
	}
	return nil
}

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
	case number > 1 && damaged:
		return nil, &DamageError{path, number, "is damaged"}
	case number > 1:
		return c, nil
	case damaged || !bytes.HasPrefix(start, rest[:min(len(rest), len(start))]):
		return nil, noSweep(path)
	}
	return c, errTorn
}

// noSweep returns the error of a file that is no journal.
func noSweep(path string) error { return &DamageError{path, 1, "is not the file of a sweep"} }

// read takes one line, false if it is not whole.
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
	if !decode(text, &r) || r.Point < 0 || r.Point >= c.Plan.Points {
		return false
	}
	c.Records[r.Point] = r
	return true
}

// Done returns how many points have a value.
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

// IsComplete reports whether a file is the journal of a plan's shard with a value of every point. The error is a
// [*DamageError] or a [*ChangedError] if the file is another one, which must not be replaced.
func IsComplete(path string, plan Plan) (bool, error) {
	c, err := Read(path)
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
	Contents // as it was opened

	fresh bool // there was nothing in the file
	mu    sync.Mutex
	file  *os.File // nil once it is closed
	end   int64
	added bool
	timer *time.Timer // of the next sync; nil if all records are on the disk
	err   error       // that ended it
}

// syncEvery is how often records are brought to the disk: all that came since in one go. A sync takes milliseconds, in
// which the file system lets nobody write to the file, a point often less; and what is in the file outlives the process
// anyway. A loss of power takes no more than the points of this time.
const syncEvery = 500 * time.Millisecond

// ExistsError says that there is a journal of a run that did not come to its end.
type ExistsError struct {
	File         string
	Done, Points int
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("%s holds %d of %d points of a run that did not come to its end", e.File, e.Done, e.Points)
}

// ErrBusy: another process is writing the journal.
var ErrBusy = errors.New("another process is at work on it")

// Open opens the journal path for a plan, or begins it if there is none. One that is there is continued if resume is
// set, otherwise it is an [*ExistsError] unless it is empty. The error is a [*ChangedError] if it is of another plan, a
// [*DamageError] if it cannot be read, and [ErrBusy] if another process has it open.
func Open(path string, plan Plan, resume bool) (*Journal, error) {
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

func (j *Journal) open(path string, plan Plan, resume bool) error {
	if err := lock(j.file); err != nil {
		return err
	}
	if !j.isAt(path) { // the process that had it open renamed or removed it before the lock was ours
		return ErrBusy
	}
	info, err := j.file.Stat()
	if err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		return err
	}
	data, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	j.fresh = len(data) == 0
	found, err := parse(path, data)
	switch {
	case errors.Is(err, errTorn):
		found = nil
	case err != nil:
		return err
	case len(found.Records) == 0:
		found = nil
	case !resume:
		return &ExistsError{path, found.Done(), len((&Contents{Plan: found.Plan}).Missing())}
	default:
		if err := changed(path, found.Plan.identity(), plan.identity()); err != nil {
			return err
		}
	}
	if found == nil {
		return j.begin(path, plan)
	}
	j.Contents = *found
	j.end = found.size
	return j.truncate()
}

// isAt reports whether the open file is the one at path.
func (j *Journal) isAt(path string) bool {
	mine, err := j.file.Stat()
	there, errThere := os.Stat(path)
	return err == nil && errThere == nil && os.SameFile(mine, there)
}

// identity is what must agree for a journal to be continued.
func (p Plan) identity() []Setting {
	if p.Shard.Count == 0 {
		return p.Configuration
	}
	return append(slices.Clip(p.Configuration), Setting{"--shard", p.Shard.String()})
}

// begin writes the header.
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

// truncate cuts off what stands behind the last good line.
func (j *Journal) truncate() error {
	if err := j.file.Truncate(j.end); err != nil {
		return err
	}
	_, err := j.file.Seek(j.end, io.SeekStart)
	return err
}

// write adds a line in one piece.
func (j *Journal) write(body any) error {
	text, err := encode(body)
	if err != nil {
		return err
	}
	n, err := j.file.Write(text)
	if err != nil {
		if n > 0 { // leave no half of a line; if that fails too, the sum tells
			err = errors.Join(err, j.truncate())
		}
		return err
	}
	j.end += int64(n)
	return nil
}

// Append adds a record. It is in the file when Append returns, so that it outlives the process; on the disk, so that it
// outlives a loss of power, it is within half a second. Once an Append has failed, or a sync, all fail.
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

// sync brings records to the disk.
func (j *Journal) sync() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.timer = nil; j.file != nil {
		j.err = errors.Join(j.err, j.file.Sync())
	}
}

// finish closes the file, once. Before, unless the journal failed, it brings the records to the disk if they are kept,
// and changes the name by do. The name is changed before the file is closed, so that nobody else can lock it under the
// old name in between. Where there are no locks it is closed first: some of those systems rename no open files.
func (j *Journal) finish(kept bool, do func() error) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	f := j.file
	if j.file = nil; f == nil {
		return nil
	}
	if kept {
		j.err = errors.Join(j.err, f.Sync())
	}
	switch {
	case j.err != nil:
		return errors.Join(j.err, f.Close())
	case !locks:
		return errors.Join(f.Close(), do())
	}
	return errors.Join(do(), f.Close())
}

// Close ends the journal; the records are on the disk then. A second Close does nothing.
func (j *Journal) Close() error { return j.finish(true, func() error { return nil }) }

// Abandon closes the journal after an error of the whole sweep, and leaves none behind that says nothing.
func (j *Journal) Abandon() {
	if j == nil || j.added || len(j.Records) > 0 {
		_ = j.Close() // what went wrong is being told
		return
	}
	_ = j.finish(false, func() error { return os.Remove(j.File) })
}

// Rename closes the journal and gives it the name of what is complete.
func (j *Journal) Rename(path string) error {
	if err := j.finish(true, func() error { return os.Rename(j.File, path) }); err != nil {
		return err
	}
	return syncDirectory(path)
}

// Remove ends the journal of a sweep whose result is on the disk beside it, and removes it once the name of the result
// is there, too.
func (j *Journal) Remove() error {
	return j.finish(false, func() error {
		return errors.Join(syncDirectory(j.File), os.Remove(j.File))
	})
}

// syncDirectory makes a new name outlive a loss of power, where the file system can.
func syncDirectory(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil // a directory that can be written to but not read
	}
	defer dir.Close()
	_ = dir.Sync() // not every file system knows how
	return nil
}
