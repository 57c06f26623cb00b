package models

import (
	"context"

	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/internal/jobtimes"
)

// delays returns the distributions of the waiting time and of the response time of the jobs of a class.
func (p *sp) delays(ctx context.Context, sol *multiserver.Solution, class string) (waiting, response *multiserver.Delay, err error) {
	if waiting, response, err = sol.Delays(ctx); err != nil || class == "" {
		return waiting, response, err
	}
	of, err := p.classNamed(class)
	if err != nil {
		return nil, nil, err
	}
	own, err := of.Demand.Scale(1 / p.speed(of.Class))
	if err == nil {
		own, err = p.withSetup(own)
	}
	if err == nil {
		response, err = waiting.Plus(ctx, phases(own))
	}
	return waiting, response, err
}

// responseTimes returns the function that computes, for a class of jobs, the quantiles of the waiting time and of the response
// time from the solution of the chain. The class "" means all jobs.
func (p *sp) responseTimes(sol *multiserver.Solution) func(ctx context.Context, class string) (jobtimes.Distributions, error) {
	return func(ctx context.Context, class string) (jobtimes.Distributions, error) {
		waiting, response, err := p.delays(ctx, sol, class)
		if err != nil {
			return jobtimes.Distributions{}, err
		}
		// Both times share one limit of memory. Quantiles of the response time follow those of the waiting time.
		ofResponse := func(ctx context.Context, p float64) (float64, error) {
			waiting.Forget()
			return response.Quantile(ctx, p)
		}
		return jobtimes.Distributions{Waiting: waiting.Quantile, Response: ofResponse, RelativeError: func() float64 {
			return max(waiting.ErrorBound(), response.ErrorBound())
		}}, nil
	}
}
