"""A cluster of hosts in Kubernetes, for `golfref tournament --cluster`: fill in the image and the number of hosts."""

from dask_kubernetes.operator import KubeCluster, make_cluster_spec

spec = make_cluster_spec(name="golfref", image="registry.example.org/golfref-host", n_workers=5)
scheduler = spec["spec"]["scheduler"]["spec"]["containers"][0]
scheduler["command"] = ["dask", "scheduler"]
scheduler["args"] = ["--protocol", "tls"]  # the default host is every interface of the container
worker = spec["spec"]["worker"]["spec"]["containers"][0]
worker["command"] = ["dask", "worker"]
worker["args"] = ["--name", "$(DASK_WORKER_NAME)", "--nworkers", "1", "--nthreads", "4"]
worker["args"] += ["--no-dashboard", "--memory-limit", "0"]
worker["securityContext"] = {"privileged": True, "runAsUser": 0}

if __name__ == "__main__":
    cluster = KubeCluster(custom_cluster_spec=spec)
    input(f"golfref tournament CONFIG --cluster {cluster.scheduler_address} - Enter ends the cluster ")
