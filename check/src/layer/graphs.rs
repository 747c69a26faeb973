//! Graphs: which objects their nodes use.

use std::collections::HashMap;

use crate::layer::objects::Use;

type Nodes = HashMap<usize, Vec<Use>>;

/// The graphs that the program created, and what was instantiated from them.
#[derive(Default)]
pub struct Graphs {
    graphs: HashMap<usize, Nodes>,
    instances: HashMap<usize, Nodes>,
}

impl Graphs {
    /// A graph that uses an object.
    pub fn using(&self, number: u32) -> Option<String> {
        let uses = |(_, nodes): &(&usize, &Nodes)| nodes.values().flatten().any(|used| used.object == number);
        let graph = self.graphs.iter().find(uses).map(|(graph, _)| format!("Graph {graph:#x}"));
        graph.or_else(|| {
            self.instances.iter().find(uses).map(|(graph, _)| format!("Instantiated graph {graph:#x}"))
        })
    }

    pub fn created(&mut self, graph: usize) {
        self.graphs.insert(graph, Nodes::new());
    }

    pub fn destroyed(&mut self, graph: usize) {
        self.graphs.remove(&graph);
    }

    pub fn instantiated(&mut self, graph: usize, instance: usize) {
        let nodes = self.graphs.get(&graph).cloned().unwrap_or_default();
        self.instances.insert(instance, nodes);
    }

    /// The instance has the nodes of another graph from now on.
    pub fn updated(&mut self, instance: usize, graph: usize) {
        self.instantiated(graph, instance);
    }

    /// What the nodes of an instance use.
    pub fn uses_of(&self, instance: usize) -> Vec<Use> {
        self.instances.get(&instance).into_iter().flat_map(HashMap::values).flatten().copied().collect()
    }

    pub fn node_destroyed(&mut self, node: usize) {
        self.graphs.values_mut().for_each(|nodes| _ = nodes.remove(&node));
    }

    pub fn instance_destroyed(&mut self, instance: usize) {
        self.instances.remove(&instance);
    }

    pub fn set(&mut self, graph: Option<usize>, instance: Option<usize>, node: usize, uses: Vec<Use>) {
        let of = match (graph, instance) {
            (Some(graph), _) => self.graphs.get_mut(&graph),
            (_, Some(instance)) => self.instances.get_mut(&instance),
            _ => self.graphs.values_mut().find(|nodes| nodes.contains_key(&node)),
        };
        if let Some(nodes) = of {
            nodes.insert(node, uses);
        }
    }
}
