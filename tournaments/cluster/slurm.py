"""A cluster of hosts as Slurm jobs, for `golfref tournament --cluster`: fill in queue, account and sizes."""

from dask_jobqueue import SLURMCluster

if __name__ == "__main__":
    cluster = SLURMCluster(
        queue="batch",
        account="lab",
        cores=8,
        processes=1,
        memory="16GB",
        walltime="04:00:00",
        protocol="tls://",
        scheduler_options={"port": 8786, "dashboard": False},
        worker_extra_args=["--no-dashboard"],
        job_extra_directives=["--exclusive"],
        job_script_prologue=[
            "export GOLFREF_HOST=$SLURMD_NODENAME",
            "export GOLFREF_HOST_FOLDER=/var/tmp/$USER-golfref",
        ],
    )
    cluster.scale(jobs=5)
    input(f"golfref tournament CONFIG --cluster {cluster.scheduler_address} - Enter ends the cluster ")
