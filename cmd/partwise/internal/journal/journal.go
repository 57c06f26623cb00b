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

// encode returns a body as a line. The body is put in place as it was summed: encoding the line would go through it
// again.
func encode(body any) ([]byte, error) {
	const start, sum = `{"crc32":"`, "00000000"
	var b bytes.Buffer
	b.WriteString(start + sum + `","body":`)
	from := b.Len()
	if err := encodeBody(&b, body); err != nil {
		return nil, err
	}
	copy(b.Bytes()[len(start):], checksum(b.Bytes()[from:]))
	b.WriteString("}\n")
	return b.Bytes(), nil
}

// encodeBody writes a body in one line. A value is JSON already, which an encoder would read and write once more.
func encodeBody(b *bytes.Buffer, body any) error {
	if r, ok := body.(Record); ok && r.Value != nil && r.Error == "" && bytes.IndexByte(r.Value, '\n') < 0 {
		fmt.Fprintf(b, `{"point":%d,"value":`, r.Point)
		b.Write(r.Value)
		b.WriteByte('}')
		return nil
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n"))
	return nil
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
		return nil, &DamageError{path, 1, "is not the file of a sweep"}
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
	for number := 1; ; number++ {
		end := bytes.IndexByte(data[c.size:], '\n')
		last := end < 0
		text := data[c.size:]
		if !last {
			text = text[:end]
		}
		if !last && c.read(number, text) {
			c.size += int64(end) + 1
			continue
		}
		rest := data[c.size:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 && i < len(rest)-1 && bytes.IndexByte(rest[i+1:], '\n') >= 0 {
			return nil, c.damage(number) // more lines follow: no process that was killed leaves that behind
		}
		if number == 1 {
			if len(rest) > 0 && !bytes.HasPrefix([]byte(`{"crc32":`), rest[:min(len(rest), 9)]) {
				return nil, c.damage(number)
			}
			return c, errTorn
		}
		return c, nil
	}
}

func (c *Contents) damage(number int) error {
	if number == 1 {
		return &DamageError{c.File, 1, "is not the file of a sweep"}
	}
	return &DamageError{c.File, number, "is damaged"}
}

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

// Journal is a file to which the records of a sweep are added. Append may be called by several goroutines.
type Journal struct {
	Contents // as it was opened

	fresh bool // there was nothing in the file
	mu    sync.Mutex
	file  *os.File
	end   int64
	err   error // that ended it
	stop  chan struct{}
	done  chan struct{}
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
	j.start()
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
		return &ExistsError{path, found.Done(), len(held(found.Plan))}
	default:
		if changes := Differences(found.Plan.identity(), plan.identity()); len(changes) > 0 {
			return &ChangedError{path, changes}
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

// held returns the points of the plan's shard.
func held(p Plan) []int {
	c := Contents{Plan: p}
	return c.Missing()
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
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.write(r)
	}
	return j.err
}

// start has records brought to the disk from now on.
func (j *Journal) start() {
	j.stop, j.done = make(chan struct{}), make(chan struct{})
	go j.syncAtTimes(j.end) // looked up there it might count a record that is added first as synced
}

// syncAtTimes brings to the disk what was added since the last time, at first beyond synced, until the journal is
// closed.
func (j *Journal) syncAtTimes(synced int64) {
	defer close(j.done)
	clock := time.NewTicker(syncEvery)
	defer clock.Stop()
	for {
		select {
		case <-j.stop:
			return
		case <-clock.C:
		}
		end := j.written()
		if end == synced {
			continue
		}
		if err := j.file.Sync(); err != nil {
			j.fail(err)
			return
		}
		synced = end
	}
}

// written returns how long the file is.
func (j *Journal) written() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.end
}

func (j *Journal) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.err = errors.Join(j.err, err)
}

// wait waits for a sync that is under way; no other begins.
func (j *Journal) wait() {
	close(j.stop)
	<-j.done
}

// Close ends the journal; the records are on the disk then.
func (j *Journal) Close() error {
	j.wait()
	return errors.Join(j.err, j.file.Sync(), j.file.Close())
}

// Rename closes the journal and gives it the name of what is complete.
func (j *Journal) Rename(path string) error {
	j.wait()
	if err := errors.Join(j.err, j.file.Sync()); err != nil {
		return errors.Join(err, j.file.Close())
	}
	if err := j.closeAfter(func() error { return os.Rename(j.File, path) }); err != nil {
		return err
	}
	return syncDirectory(path)
}

// closeAfter closes the file when its name has been changed by do, so that nobody else can lock it under the old name in
// between. Where there are no locks it is closed before: some of those systems rename no open files.
func (j *Journal) closeAfter(do func() error) error {
	if !locks {
		return errors.Join(j.file.Close(), do())
	}
	return errors.Join(do(), j.file.Close())
}

// Remove ends the journal of a sweep whose result is on the disk beside it, and removes it once the name of the result
// is there, too.
func (j *Journal) Remove() error {
	j.wait()
	if j.err == nil {
		j.err = syncDirectory(j.File)
	}
	return errors.Join(j.err, j.closeAfter(func() error { return os.Remove(j.File) }))
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
