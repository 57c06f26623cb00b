package sweep

import "errors"

// Merge puts journals of one sweep together, such as the journals of its shards: all records, under the plan of all points.
// A point with a value in any journal keeps the value. The error is a [*ChangedError] if the configuration of a journal
// differs from that of the first.
func Merge(all ...*Contents) (*Contents, error) {
	if len(all) == 0 {
		return nil, errors.New("sweep: nothing to merge")
	}
	first := all[0]
	merged := &Contents{File: first.File, Plan: first.Plan, Records: make(map[int]Record)}
	merged.Plan.Shard = Shard{}
	for _, c := range all {
		if err := changed(c.File, first.Plan.Configuration, c.Plan.Configuration); err != nil {
			return nil, err
		}
		for i, r := range c.Records {
			if known, ok := merged.Records[i]; !ok || known.Error != "" {
				merged.Records[i] = r
			}
		}
	}
	return merged, nil
}

// AbsentShards returns the shards without a journal, if all journals are shards of one division.
func AbsentShards(all ...*Contents) (absent []string) {
	if len(all) == 0 {
		return nil
	}
	count := all[0].Plan.Shard.Count
	there := make(map[int]bool, len(all))
	for _, c := range all {
		if c.Plan.Shard.Count != count {
			return nil
		}
		there[c.Plan.Shard.Index] = true
	}
	for i := 1; i <= count; i++ {
		if !there[i] {
			absent = append(absent, Shard{i, count}.String())
		}
	}
	return absent
}
